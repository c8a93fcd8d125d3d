// SPDX-License-Identifier: Apache-2.0
// The controls: which question is asked, and where its answer is shown. The address keeps the question, to be shared.
"use strict";

(() => {
  const SLIDERS = ["rows", "epsilon", "numbers", "categories"],
    CHOICES = ["classes", "delta"];
  const AXES = [...SLIDERS, ...CHOICES];
  const SHOWN = {
    rows: (x) => `${Words.count(x)} rows`,
    epsilon: (x) => String(x),
    numbers: (x) => String(x),
    categories: (x) => String(x),
    classes: (x) => String(x),
    delta: (x) =>
      x === 0 ? "0: it always holds" : x === 1e-6 ? "1 in a million" : x === 1e-9 ? "1 in a billion" : String(x),
  };
  // Targets of "What would it take?", in the unit of the kind.
  const TARGETS = { points: [5, 2, 1, 0.5, 0.1], "% of the range": [5, 2, 1, 0.5, 0.1] };

  const BARS = "; bars: most often";
  const RANGES = { classify: BARS, number: BARS, classes: BARS };
  const FIGURE_PADDING = 36; // of planner.css, both sides

  let kind = "classify";
  const wanted = { rows: 20000, epsilon: 1, numbers: 5, categories: 5, classes: 3, delta: 1e-6 }; // values, not steps
  const by_id = (id) => document.getElementById(id);
  const axes = () => Answers.grids[kind].axes;

  // The step of a kind's slider that is nearest to what is wanted: kinds have different steps.
  function step(axis) {
    const values = axes()[axis],
      far = (x) => Math.abs(Math.log((x || 1e-12) / (wanted[axis] || 1e-12)));
    return values.reduce((best, x, i) => (far(x) < far(values[best]) ? i : best), 0);
  }
  const place = () => Object.fromEntries(AXES.map((axis) => [axis, step(axis)]));

  function make(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function choice(group, value, text, hint, checked, chosen) {
    const input = make("input", { type: "radio", name: group, value: String(value), checked });
    input.addEventListener("change", chosen);
    return make(
      "label",
      {},
      input,
      make("span", {}, make("b", { textContent: text }), ...(hint ? [make("small", { textContent: hint })] : [])),
    );
  }

  function show_choices(axis, current) {
    const box = by_id(axis),
      values = axes()[axis];
    box.hidden = values.length === 1;
    box.querySelectorAll("label").forEach((old) => old.remove());
    const before = box.querySelector("p");
    values.forEach((x, i) => {
      const made = choice(axis, x, SHOWN[axis](x), "", i === current, () => {
        wanted[axis] = x;
        show();
      });
      before ? box.insertBefore(made, before) : box.append(made);
    });
  }

  function show_controls(at) {
    for (const axis of SLIDERS) {
      const slider = by_id(axis),
        values = axes()[axis],
        text = SHOWN[axis](values[at[axis]]);
      by_id(`${axis}-box`).hidden = values.length === 1;
      slider.max = String(values.length - 1);
      slider.value = String(at[axis]);
      slider.setAttribute("aria-valuetext", text);
      by_id(`${axis}-out`).textContent = text;
    }
    const focused = document.activeElement && document.activeElement.name;
    for (const axis of CHOICES) show_choices(axis, at[axis]);
    if (CHOICES.includes(focused)) by_id(focused).querySelector("input:checked").focus();
  }

  function show_answer(at, answer) {
    const { headline, meaning } = Words.told(kind, answer);
    by_id("headline").textContent = headline;
    by_id("meaning").textContent = meaning;
    by_id("warnings").replaceChildren(
      ...Answers.warnings(kind, at).map((each) =>
        make(
          "li",
          { className: each.loud ? "loud" : "" },
          make("b", { textContent: each.loud ? "Warning: " : "Note: " }),
          each.text + ".",
        ),
      ),
    );
    by_id("answer").dataset.answer = JSON.stringify(answer, (_, x) => (x === Infinity ? "infinity" : x));
  }

  function show_facts(at, answer) {
    const facts = answer ? Words.facts(kind, Answers.grids[kind], at, answer) : [];
    by_id("facts").dataset.count = String(facts.length);
    by_id("facts").replaceChildren(
      ...facts.map((fact) => {
        const made = make(
          "div",
          {},
          make("dt", { textContent: fact.term }),
          make(
            "dd",
            {},
            make("span", { className: "value", textContent: fact.value }),
            make("span", { textContent: fact.text }),
          ),
        );
        made.id = `fact-${fact.id}`;
        return made;
      }),
    );
  }

  function number_table(axis, points) {
    const { unit } = Words.KINDS[kind],
      ranged = points.some((p) => p.upper !== null);
    const table = make(
      "table",
      {},
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          ...[axis, unit, ...(ranged ? ["most often"] : [])].map((text) =>
            make("th", { scope: "col", textContent: text }),
          ),
        ),
      ),
    );
    const body = points.map((p) =>
      make(
        "tr",
        {},
        make("th", { scope: "row", textContent: SHOWN[axis](p.x) }),
        make("td", { textContent: p.y === null ? p.why : Words.two_digits(p.y) }),
        ...(ranged
          ? [
              make("td", {
                textContent:
                  p.y === null
                    ? ""
                    : p.lower > 0
                      ? `${Words.two_digits(p.lower)} to ${Words.two_digits(p.upper)}`
                      : `below ${Words.two_digits(p.upper)}`,
              }),
            ]
          : []),
      ),
    );
    table.append(make("tbody", {}, ...body));
    return make("details", {}, make("summary", { textContent: "The numbers of this picture" }), table);
  }

  function show_pictures(at, answer) {
    const titles = {
      rows: `With more rows (epsilon ${axes().epsilon[at.epsilon]})`,
      epsilon: `With another epsilon (${SHOWN.rows(axes().rows[at.rows])})`,
    };
    const opened = [...document.querySelectorAll("#pictures details")].map((each) => each.open);
    const choose = (axis, to) => {
      wanted[axis] = axes()[axis][to];
      show();
    };
    const figures = (answer ? ["rows", "epsilon"] : []).map((axis, i) => {
      const numbers = number_table(axis, Pictures.points(kind, at, axis));
      numbers.open = Boolean(opened[i]);
      const title = make("b", { textContent: titles[axis] });
      const what = make("span", { textContent: Words.KINDS[kind].axis + (RANGES[kind] || "") });
      return { axis, numbers, figure: make("figure", {}, make("figcaption", {}, title, what), numbers) };
    });
    by_id("pictures").replaceChildren(...figures.map((each) => each.figure));
    // Drawn once it is known how much room there is.
    for (const { axis, numbers, figure } of figures) {
      numbers.before(Pictures.picture(kind, at, axis, figure.clientWidth - FIGURE_PADDING, choose));
    }
  }

  // The first step from which on the told number stays at or below the target, in words.
  function enough(at, axis, target) {
    const text = axis === "rows" ? Words.count : String;
    const points = Pictures.points(kind, at, axis).filter((p) => p.why !== "proven instead");
    const bad = points.map((p) => p.y === null || p.y > target * (1 + 1e-9)).lastIndexOf(true);
    if (bad + 1 < points.length) return `${text(points[bad + 1].x)}${bad < 0 ? " or less" : ""}`;
    const all = axes()[axis];
    // Beyond what is forecast there may still be a proof.
    return points.length === all.length ? `more than ${text(all[all.length - 1])}` : "not forecast";
  }

  function show_needed(at, answer) {
    by_id("needed").hidden = !answer;
    if (!answer) return;
    const { unit } = Words.KINDS[kind];
    const head = [
      kind === "mean" || kind === "median" ? "For at most" : "To lose about",
      `rows, at epsilon ${axes().epsilon[at.epsilon]}`,
      `epsilon, with ${SHOWN.rows(axes().rows[at.rows])}`,
    ];
    if (kind === "number") head[0] = "To move by about";
    const rows = TARGETS[unit].map((target) => {
      return make(
        "tr",
        {},
        make("th", {
          scope: "row",
          textContent: unit === "points" ? `${target} ${target === 1 ? "point" : "points"}` : `${target}% of the range`,
        }),
        make("td", { textContent: enough(at, "rows", target) }),
        make("td", { textContent: enough(at, "epsilon", target) }),
      );
    });
    by_id("needed-table").replaceChildren(
      make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col", textContent: text })))),
      make("tbody", {}, ...rows),
    );
  }

  function show() {
    const at = place(),
      answer = Answers.at(kind, at),
      grid = Answers.grids[kind];
    show_controls(at);
    show_answer(at, answer);
    show_facts(at, answer);
    show_pictures(at, answer);
    show_needed(at, answer);
    by_id("schema-text").textContent = Words.schema(kind, grid, at);
    by_id("command-text").textContent = Words.command(kind, grid, at);
    const shared = AXES.filter((axis) => axes()[axis].length > 1).map((axis) => `${axis}=${axes()[axis][at[axis]]}`);
    history.replaceState(null, "", `#kind=${kind}&${shared.join("&")}`);
  }

  // What the address asks for, as far as it can be understood.
  function read_address() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (Object.hasOwn(Words.KINDS, given.get("kind") || "")) kind = given.get("kind");
    for (const axis of AXES) {
      const value = Number(given.get(axis) === null ? NaN : given.get(axis));
      if (Number.isFinite(value) && value >= 0) wanted[axis] = value;
    }
    const chosen = document.querySelector(`input[name="kind"][value="${kind}"]`);
    chosen.checked = true;
  }

  by_id("kind").append(
    ...Object.entries(Words.KINDS).map(([name, { name: text, hint }]) =>
      choice("kind", name, text, hint, name === kind, () => {
        kind = name;
        show();
      }),
    ),
  );
  for (const axis of SLIDERS) {
    by_id(axis).addEventListener("input", (event) => {
      wanted[axis] = axes()[axis][Number(event.target.value)];
      show();
    });
  }
  by_id("controls").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => {
    read_address();
    show();
  });
  window.addEventListener("resize", () => show_pictures(place(), Answers.at(kind, place())));
  read_address();
  show();
})();
