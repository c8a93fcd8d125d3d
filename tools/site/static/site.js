// SPDX-License-Identifier: Apache-2.0
"use strict";
// From a folder without a server a script may not read other pages: search results then have no excerpts of their own.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
// Wide tables and blocks scroll; people without a mouse reach them with the tab key.
document.addEventListener("DOMContentLoaded", () => {
  for (const each of document.querySelectorAll(".table-wrapper, .highlight pre")) {
    if (each.scrollWidth > each.clientWidth) {
      each.tabIndex = 0;
    }
  }
});
// Search results with the beginning of their page, which were collected when the site was built.
const results = document.getElementById("search-results");
if (results) {
  const script = document.createElement("script");
  script.src = `${document.documentElement.dataset.content_root}_static/first_words.js`;
  const describe = () => {
    for (const link of results.querySelectorAll("ul.search > li > a:only-child")) {
      const words = (window.FIRST_WORDS || {})[link.getAttribute("href").split(/[?#]/)[0].replace(/\.html$/, "")];
      if (words) {
        link.after(Object.assign(document.createElement("p"), { className: "context", textContent: words }));
      }
    }
  };
  script.onload = () => {
    new MutationObserver(describe).observe(results, { childList: true, subtree: true });
    describe();
  };
  document.head.append(script);
}
