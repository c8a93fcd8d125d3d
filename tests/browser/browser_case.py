# SPDX-License-Identifier: Apache-2.0
"""What the tests of pages share: headless Chromium (Debian's package) driven by Playwright, and axe-core beside it.

    from browser_case import BrowserCase

    class Report(BrowserCase):
        def test_it_opens(self):
            self.check_page(path)                       # a file, opened as people open it: without a server
        def test_the_planner_answers(self):
            with self.served(folder) as address:        # or over HTTP, from 127.0.0.1
                self.check_page(f"{address}/planner.html", within=address)
        def test_a_click(self):
            with self.opened(path) as page:             # a Playwright page; the same watch is kept over it
                page.fill("#epsilon", "2")

check_page and opened fail on console warnings and errors, on errors of scripts, on anything asked for outside the folder,
also while a test works on the page. check_page also fails on serious findings of axe-core in light and dark and on
horizontal overflow at PHONE and DESK. DPERM_SHOTS=FOLDER keeps screenshots of every page that is checked, and the page as
it prints on A4. Where Chromium or Playwright is missing, one line says so and the tests are skipped.
"""

import contextlib
import functools
import http.server
import os
import pathlib
import shutil
import sys
import threading
import unittest

CHROMIUM = shutil.which("chromium")
try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

PHONE = {"width": 375, "height": 740}
DESK = {"width": 1280, "height": 900}
VIEWS = {"phone": (PHONE, False), "desk": (DESK, False), "dark": (DESK, True)}  # size of the window, dark
SERIOUS = ("serious", "critical")
# Elements that reach beyond the window and that no box of their own scrolls.
OVERFLOW = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const wide = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > width + 1);
  return wide.slice(0, 5).map(e => `${e.tagName}.${e.getAttribute('class') || e.id}: ${(e.textContent || '').slice(0, 40)}`)
             .concat([`page ${document.documentElement.scrollWidth} of ${width}`]);
}"""


def why_not():
    if CHROMIUM is None:
        return "there is no chromium (Debian's package chromium)"
    return None if sync_playwright else "playwright is not in .venv (tools/requirements_test.txt)"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/favicon.ico":  # asked for by the browser itself
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


class BrowserCase(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        if why_not():
            sys.stderr.write(f"skipped: {why_not()}\n")
            raise unittest.SkipTest(why_not())
        cls._playwright = sync_playwright().start()
        cls.addClassCleanup(cls._playwright.stop)
        cls.browser = cls._playwright.chromium.launch(executable_path=CHROMIUM)
        cls.addClassCleanup(cls.browser.close)

    @contextlib.contextmanager
    def served(self, folder):
        handler = functools.partial(_Quiet, directory=str(folder))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()

    @contextlib.contextmanager
    def opened(self, target, *, within=None, size=DESK, dark=False, script=True):
        """A page of `target` (a path or an address). `within`: the folder or address that requests must stay in; by
        itself the folder of the file."""
        address = str(target) if "://" in str(target) else pathlib.Path(target).resolve().as_uri()
        within = str(within or address.rpartition("/")[0])
        within = within if "://" in within else pathlib.Path(within).resolve().as_uri()
        context = self.browser.new_context(viewport=size, color_scheme="dark" if dark else "light",
                                           java_script_enabled=script)
        complaints = []
        page = context.new_page()
        page.on("console", lambda m: complaints.append(f"console {m.type}: {m.text}")
                if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(f"script: {error}"))
        page.on("request", lambda r: complaints.append(f"asked for {r.url}")
                if not r.url.startswith((within + "/", "data:", "blob:")) else None)
        page.on("requestfailed", lambda r: complaints.append(f"could not get {r.url}: {r.failure}"))
        page.on("dialog", lambda d: (complaints.append(f"dialog: {d.message}"), d.dismiss()))
        try:
            page.goto(address, wait_until="load")
            yield page
            page.wait_for_timeout(50)
        finally:
            context.close()
        self.assertEqual(complaints, [], f"{address} complained")

    def check_page(self, target, *, within=None, ready=None, views=tuple(VIEWS)):
        """All checks of one page. `ready`: called with the page before it is looked at, for pages that need a moment."""
        for name in views:
            size, dark = VIEWS[name]
            with self.subTest(view=name), self.opened(target, within=within, size=size, dark=dark) as page:
                if ready:
                    ready(page)
                self.keep_screenshot(page, target, name)
                self.assertEqual(page.evaluate(OVERFLOW), [], f"wider than the window ({name})")
                self.check_axe(page)

    def check_axe(self, page):
        # Without preload: axe would fetch stylesheets a second time, which a page opened from a folder may not.
        found = Axe().run(page, options={"preload": False}).response["violations"]
        serious = [f"{v['id']}: {v['help']}: " + "; ".join(n["html"][:120] for n in v["nodes"][:3])
                   for v in found if v["impact"] in SERIOUS]
        self.assertEqual(serious, [], "axe-core has serious findings")

    def keep_screenshot(self, page, target, name):
        if not os.environ.get("DPERM_SHOTS"):
            return
        stem = f"{pathlib.Path(str(target)).stem}_{name}"
        folder = pathlib.Path(os.environ["DPERM_SHOTS"])
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{stem}.png", full_page=True)
        if name == "desk":
            page.pdf(path=folder / f"{stem}.pdf", format="A4", print_background=True)
