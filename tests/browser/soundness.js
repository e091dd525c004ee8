// What is wrong with a page that shows strangers' text. One look, in the page itself; a list of short sentences.
() => {
  const NEVER =
    "script,style,iframe,frame,frameset,object,embed,applet,base,meta,link,foreignObject,animate,set,use,math,portal," +
    "audio,video,source,template,marquee,noscript,plaintext,xmp,title,.prose form,.prose input,.prose button";
  const OWN = "head > link, head > meta, head > script, head > title, svg title";
  const OBEYED = /^(on|style$|srcdoc$|ping$|accesskey$|download$)/i;
  const LEADS = /^(href|src|action|xlink:href|data|poster|formaction)$/i;
  const PICTURE = /^data:image\/(png|gif|jpeg|webp)/;
  const found = new Set();
  const start = (element) => element.outerHTML.slice(0, 90);

  if ("taken" in window) found.add("a script ran");
  for (const each of document.querySelectorAll(NEVER)) {
    if (!each.matches(OWN)) found.add(`an element: ${start(each)}`);
  }
  for (const each of document.querySelectorAll("*")) {
    for (const { name, value } of each.attributes) {
      if (OBEYED.test(name)) found.add(`${each.localName} ${name}=${value.slice(0, 90)}`);
      if (!LEADS.test(name) || (each.localName === "img" && PICTURE.test(value))) continue;
      const to = new URL(value, location);
      const stays = to.origin === location.origin;
      const leaves = each.localName === "a" && /^(https?|mailto):$/.test(to.protocol);
      if (!stays && !leaves) found.add(`${each.localName} ${name}=${value.slice(0, 90)}`);
      if (leaves && !stays && !/noopener|noreferrer/.test(each.rel)) found.add(`tells where it comes from: ${start(each)}`);
    }
    if (each.hasAttribute("target") && each.getAttribute("target") !== "_blank") found.add(`a target: ${start(each)}`);
  }

  for (const name of ["main", "header", "nav"]) {
    if (!document.querySelector(name)?.checkVisibility()) found.add(`no ${name}`);
  }
  if (document.querySelectorAll("main").length !== 1) found.add("more than one main");
  if (!(document.body instanceof HTMLBodyElement)) found.add("the body is clobbered");
  for (const name of ["forms", "location", "cookie", "getElementById", "documentElement", "querySelector"]) {
    if (document[name] instanceof HTMLElement && name !== "documentElement") found.add(`document.${name} is clobbered`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  if (new Set(ids).size !== ids.length) found.add("an id is there twice");

  scrollTo(0, 0);
  const brand = document.querySelector("header a").getBoundingClientRect();
  const top = document.elementFromPoint(brand.left + brand.width / 2, brand.top + brand.height / 2);
  if (!top?.closest("header")) found.add(`the header is covered by ${top && start(top)}`);
  if (document.documentElement.scrollWidth > innerWidth) found.add(`${document.documentElement.scrollWidth} wide`);
  return [...found].slice(0, 10);
}
