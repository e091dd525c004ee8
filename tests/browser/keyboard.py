"""A person without a mouse: from one control to the next by Tab, never by knowing where it is."""

from playwright.sync_api import Locator, Page

MOST_STEPS = 120
IS_FOCUSED = "element => element === document.activeElement"
# What a person who can see would look for: the ring around the control that has the focus.
IS_SEEN = """element => {
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  const frame = element instanceof SVGElement && getComputedStyle(element.querySelector("rect")).stroke !== "none";
  return (ring || frame) && box.bottom > 0 && box.top < innerHeight;
}"""


def tab_to(page: Page, control: Locator) -> None:
    """Press Tab until the control has the focus, and see that it shows."""
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        if control.evaluate(IS_FOCUSED):
            assert control.evaluate(IS_SEEN), "the focus can't be seen"
            return
    raise AssertionError(f"{control} is not reached by {MOST_STEPS} times Tab")


def go_to(page: Page, control: Locator, key: str = "Enter") -> None:
    """Tab to a control and press a key on it."""
    tab_to(page, control)
    page.keyboard.press(key)
