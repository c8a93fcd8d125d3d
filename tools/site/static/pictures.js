// SPDX-License-Identifier: Apache-2.0
// Moves the pictures of a page with their sliders. All numbers were computed when the site was built; this only chooses.
"use strict";
for (const figure of document.querySelectorAll("figure.moving")) {
  const data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
  const sliders = [...figure.querySelectorAll("input[type=range]")];
  const show = () => {
    let cell = data.cells;
    sliders.forEach((slider, index) => {
      const value = data.values[index][slider.value];
      cell = cell[slider.value];
      slider.setAttribute("aria-valuetext", value);
      slider.parentElement.querySelector("output").textContent = value;
    });
    for (const [part, attribute, value] of cell.set) {
      figure.querySelector(`[data-part="${part}"]`).setAttribute(attribute, value);
    }
    figure.querySelector(".answer").textContent = cell.text;
  };
  sliders.forEach((slider) => slider.addEventListener("input", show));
  figure.querySelector(".sliders").hidden = false;
  show();
}
