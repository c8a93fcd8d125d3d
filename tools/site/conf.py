# SPDX-License-Identifier: Apache-2.0
"""Sphinx's settings. Nothing is fetched from elsewhere: the site must work from a folder, without a network."""

project = "dperm"
author = "the dperm project"
copyright = "the dperm project, Apache-2.0"
html_title = "dperm"
extensions = ["myst_parser"]
root_doc = "docs/index"
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js", "pictures.js"]
html_copy_source = False
html_use_index = False
smartquotes = False  # two hyphens are an option, not a dash
html_theme_options = {
    "navigation_with_keys": False,
    "light_css_variables": {
        "color-brand-primary": "#0b5c8a",
        "color-brand-content": "#0b5c8a",
        "color-foreground-muted": "#595f66",
        "color-code-background": "#f3f5f7",
        "font-stack": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7cc4f0",
        "color-brand-content": "#7cc4f0",
        "color-foreground-muted": "#a8b0b8",
    },
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
# Anchors as forges make them, so that a link to a heading holds in both places.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
# Blocks whose language has no colours, and prose that only looks like code, are no mistakes.
suppress_warnings = ["misc.highlighting_failure"]


def setup(app):
    """Sphinx calls the chapters of the navigation headings without saying of which level; screen readers need it."""

    def add_level(app, pagename, templatename, context, doctree):
        tree = context.get("furo_navigation_tree", "")
        context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')

    app.connect("html-page-context", add_level, priority=900)
