// SPDX-License-Identifier: Apache-2.0
// Draws answers along one slider as SVG: dots are answers, lines only join them, a bar is where one most often lies.
"use strict";

const Pictures = (() => {
  const HEIGHT = 270,
    LEFT = 56,
    RIGHT = 14,
    TOP = 14,
    BOTTOM = 44;
  let width = 480; // as wide as there is room, so that letters keep their size
  const NAMES = { rows: "rows", epsilon: "epsilon" };

  function element(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function scale(least, most, from, to) {
    const a = Math.log10(least),
      b = Math.log10(most);
    return (value) => from + ((Math.log10(value) - a) / (b - a)) * (to - from);
  }

  // Powers of ten, and 2 and 5 of them where these are few.
  function ticks(least, most) {
    const wide = most / least > 2000,
      result = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); ++power) {
      for (const digit of wide ? [1] : [1, 2, 5]) {
        const value = Number(`${digit}e${power}`);
        if (value >= least * 0.999 && value <= most * 1.001) result.push(value);
      }
    }
    return result;
  }

  const short = (value) =>
    value >= 1e6 ? `${value / 1e6}M` : value >= 1e4 ? `${value / 1e3}k` : String(Number(value.toPrecision(2)));

  // The points of a line: { x, step, y, lower, upper, why }; y is null where there is no such number, and why says why.
  function points(kind, place, axis) {
    const { field, factor } = Words.KINDS[kind];
    return Answers.along(kind, place, axis).map(({ x, step, answer }) => {
      const known = answer && answer.method !== "constant" && answer[field] !== null && answer[field] !== Infinity;
      const has_range = known && answer.told_upper !== undefined;
      return {
        x,
        step,
        y: known ? factor * answer[field] : null,
        lower: has_range ? factor * answer.told_lower : null,
        upper: has_range ? factor * answer.told_upper : null,
        why: known ? "" : answer && answer.method !== "constant" ? "proven instead" : "no model",
      };
    });
  }

  function frame(svg, x, y, axes, label) {
    for (const value of ticks(axes.low, axes.high)) {
      svg.append(
        element("line", { class: "rule", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
        element("text", { class: "tick", x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, short(value)),
      );
    }
    let end = -Infinity; // of the label before: none is written over another
    for (const value of ticks(axes.first, axes.last)) {
      const half = 4 * short(value).length;
      if (x(value) - half < end + 6) continue;
      end = x(value) + half;
      svg.append(
        element("text", { class: "tick", x: x(value), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, short(value)),
      );
    }
    svg.append(
      element("text", { class: "label", x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, label),
    );
  }

  // A bar for every answer: where it most often lies, down to the ground where that may be nothing.
  function bars(known, x, y, low) {
    const gap = Math.min(...known.slice(1).map((p, i) => x(p.x) - x(known[i].x)), 20);
    return known.map((p) =>
      element("line", {
        class: "bar",
        x1: x(p.x),
        x2: x(p.x),
        y1: y(p.upper),
        y2: y(Math.max(p.lower, low)),
        "stroke-width": 0.7 * gap,
      }),
    );
  }

  // Where there is no number, a quiet ground says why.
  function gaps(all, x) {
    const edge = (i) => (i < 0 ? LEFT : i + 1 === all.length ? width - RIGHT : (x(all[i].x) + x(all[i + 1].x)) / 2);
    const [grounds, labels] = [element("g", {}), element("g", { class: "why" })];
    for (let first = 0, end; first < all.length; first = end) {
      end = first + 1;
      while (end < all.length && all[end].why === all[first].why) ++end;
      if (!all[first].why) continue;
      const [from, to] = [edge(first - 1), edge(end - 1)];
      grounds.append(
        element("rect", { class: "gap", x: from, y: TOP, width: to - from, height: HEIGHT - TOP - BOTTOM }),
      );
      if (to - from < 7 * all[first].why.length) continue;
      const place = { class: "tick", x: (from + to) / 2, y: HEIGHT - BOTTOM - 10, "text-anchor": "middle" };
      labels.append(element("text", place, all[first].why));
    }
    return { grounds, labels };
  }

  function marker(point, x, y) {
    return element(
      "g",
      { class: "marker" },
      element("line", { x1: x(point.x), x2: x(point.x), y1: TOP, y2: HEIGHT - BOTTOM }),
      ...(point.y === null ? [] : [element("circle", { cx: x(point.x), cy: y(point.y), r: 6.5 })]),
    );
  }

  const name_of = (axis, x) => (axis === "rows" ? `${Words.count(x)} rows` : `epsilon ${x}`);

  function summary(kind, axis, all) {
    const known = all.filter((p) => p.y !== null);
    if (known.length === 0) return `${all[0].why} at every step of this slider`;
    const first = known[0],
      last = known[known.length - 1];
    const value = (p) => `${Words.two_digits(p.y)} at ${name_of(axis, p.x)}`;
    return `${Words.KINDS[kind].axis}: ${value(first)}, ${value(last)}.`;
  }

  function picture(kind, place, axis, room, choose) {
    width = Math.round(Math.max(260, Math.min(640, room)));
    const all = points(kind, place, axis),
      known = all.filter((p) => p.y !== null);
    const svg = element("svg", {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "img",
      "aria-label": summary(kind, axis, all),
    });
    if (known.length === 0) {
      svg.append(
        element(
          "text",
          { class: "label", x: width / 2, y: HEIGHT / 2, "text-anchor": "middle" },
          `${all[place[axis]].why} at every step`,
        ),
      );
      return svg;
    }
    const heights = known.flatMap((p) => [p.y, p.upper || p.y, p.lower || p.y]);
    const axes = {
      first: all[0].x,
      last: all[all.length - 1].x,
      low: Math.min(...heights) / 1.15,
      high: Math.max(...heights) * 1.15,
    };
    const x = scale(axes.first, axes.last, LEFT + 10, width - RIGHT - 10),
      y = scale(axes.low, axes.high, HEIGHT - BOTTOM, TOP);
    const { grounds, labels } = gaps(all, x);
    svg.append(grounds);
    frame(svg, x, y, axes, NAMES[axis]);
    if (known[0].upper !== null) svg.append(...bars(known, x, y, axes.low));
    svg.append(element("polyline", { class: "line", points: known.map((p) => `${x(p.x)},${y(p.y)}`).join(" ") }));
    svg.append(marker(all[place[axis]], x, y), labels);
    for (const p of known) {
      const dot = element(
        "circle",
        { class: "dot", cx: x(p.x), cy: y(p.y), r: 3 },
        element("title", {}, `${name_of(axis, p.x)}: ${Words.two_digits(p.y)} ${Words.KINDS[kind].unit}`),
      );
      svg.append(dot);
    }
    // A click takes the nearest step; the slider does the same from the keyboard.
    svg.addEventListener("click", (event) => {
      const at = ((event.clientX - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width) * width;
      choose(axis, all.reduce((best, p) => (Math.abs(x(p.x) - at) < Math.abs(x(best.x) - at) ? p : best)).step);
    });
    return svg;
  }

  return { picture, points };
})();
