"""Every view on every screen: nothing breaks, nothing sticks out, and axe has nothing grave to say."""

import pytest

from tests.browser.axe import grave_faults, poor_contrasts
from tests.browser.views import VIEWS
from tests.browser.visitors import DARK, LIGHT, PHONE


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_sound_on_a_desk_and_on_a_phone_light_and_dark(browse, view):
    page = browse(VIEWS[view])

    assert page.locator("h1").count() == 1
    for screen in (LIGHT, PHONE):
        page.set_viewport_size({"width": screen.width, "height": screen.height})
        page.emulate_media(color_scheme=LIGHT.scheme)
        assert grave_faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.emulate_media(color_scheme=DARK.scheme)
        assert poor_contrasts(page) == []
