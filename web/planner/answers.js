// SPDX-License-Identifier: Apache-2.0
// Finds the planner's answers in the grids, which grid.cpp wrote. No mathematics: a look-up and the reading of numbers.
"use strict";

const Answers = (() => {
  const grids = Object.fromEntries(window.GRIDS.map((grid) => [grid.kind, grid]));
  // As grid.cpp writes numbers: four digits and a power of ten in three letters.
  const DIGITS = 9000,
    LEAST_POWER = -20,
    ZERO = 29 * DIGITS;

  function number(letters, alphabet) {
    const code = [...letters].reduce((sum, letter) => 64 * sum + alphabet.indexOf(letter), 0);
    if (code === ZERO) return 0;
    if (code === ZERO + 1) return Infinity;
    if (code > ZERO + 1) return null;
    return Number(`${1000 + (code % DIGITS)}e${Math.floor(code / DIGITS) + LEAST_POWER - 3}`);
  }

  // `place`: the step of every slider, by the name of its axis. Nothing for a table without columns.
  function at(kind, place) {
    const { axes, fields, methods, alphabet, lines } = grids[kind];
    const table = (place.classes * axes.numbers.length + place.numbers) * axes.categories.length + place.categories;
    const budget = place.delta * axes.epsilon.length + place.epsilon;
    const line = lines[table * axes.delta.length * axes.epsilon.length + budget];
    if (!line) return null;
    const width = 2 + 3 * fields.length,
      text = line.slice(place.rows * width, (place.rows + 1) * width);
    const answer = { method: methods[alphabet.indexOf(text[0])], best_method: methods[alphabet.indexOf(text[1])] };
    fields.forEach((field, i) => {
      answer[field] = number(text.slice(2 + 3 * i, 5 + 3 * i), alphabet);
    });
    return answer;
  }

  // The answers along one axis, all other steps as they are.
  function along(kind, place, axis) {
    return grids[kind].axes[axis].map((x, step) => ({ x, step, answer: at(kind, { ...place, [axis]: step }) }));
  }

  function warnings(kind, place) {
    const { epsilon, delta } = grids[kind].warnings;
    return [...delta[place.delta][place.rows], ...epsilon[place.epsilon]];
  }

  return { grids, at, along, warnings };
})();
