// SPDX-License-Identifier: Apache-2.0
"use strict";
// From a folder without a server a script may not read other pages: search results then have no excerpts.
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
