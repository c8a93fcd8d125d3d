// SPDX-License-Identifier: Apache-2.0
// The planner's numbers in words and units, as `dperm plan` tells them.
"use strict";

const Words = (() => {
  // What the page tells of a kind of question: the `field` of an answer, times `factor`, in `unit`.
  const KINDS = {
    classify: {
      name: "Yes or no",
      hint: "Will this person come back?",
      field: "told",
      factor: 100,
      unit: "points",
      axis: "points of accuracy lost",
    },
    number: {
      name: "A number",
      hint: "What will this person pay?",
      field: "told",
      factor: 50,
      unit: "% of the range",
      axis: "predictions move, % of the range",
    },
    classes: {
      name: "One of several",
      hint: "Which kind is this one?",
      field: "told",
      factor: 100,
      unit: "points",
      axis: "points of accuracy lost",
    },
    mean: {
      name: "A mean",
      hint: "One number about all rows",
      field: "mean_error",
      factor: 50,
      unit: "% of the range",
      axis: "error of the mean, % of the range",
    },
    median: {
      name: "A median",
      hint: "One number about all rows",
      field: "bound",
      factor: 50,
      unit: "% of the range",
      axis: "cost of the median, % of the range",
    },
  };

  const METHODS = {
    sgd: "many small steps, each on rows drawn at random and with noise of its own",
    "gradient-descent": "steps down the slope of the whole table, each with noise",
    "objective-perturbation": "the best weights for a question that was changed a little at random",
    "output-perturbation": "the best weights, with noise added at the end",
    "sufficient-statistics": "noise on the sums that linear regression needs, then the exact solution",
    exponential: "an answer drawn at random, good ones with far better odds",
    constant: "one answer for everybody, which looks at no column",
  };

  const MEAN_METHODS = { ...METHODS, exponential: "the exact sum of all rows, with noise" };

  const LOSSES = {
    logistic: "logistic loss",
    squared: "squared error",
    softmax: "log loss",
    absolute: "absolute error",
  };

  const grouped = new Intl.NumberFormat("en-US");
  const count = (value) => grouped.format(value);

  // A decimal without exponent down to a thousandth, then 8 × 10⁻⁶.
  function plain(text) {
    const value = Number(text);
    if (value === 0 || Math.abs(value) >= 1e-3) return value >= 1e5 ? count(value) : String(value);
    const [digits, power] = value.toExponential().split("e");
    return `${digits} × 10${[...power].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("")}`;
  }
  // More digits would pretend to know more.
  const two_digits = (value) => plain(value.toPrecision(2));
  // What is promised or enough is rounded up. The small number forgives what binary fractions do to 0.29 * 100.
  function two_digits_above(value) {
    const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
    return plain((Math.ceil(value / unit - 1e-9) * unit).toPrecision(2));
  }
  // "53.5": a percentage that is not exceeded.
  const percent_above = (share) => (Math.ceil(share * 1000 - 1e-6) / 10).toFixed(1);

  // Fewer points than this are not worth a number of their own.
  const FEW_POINTS = 0.1;

  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  function range(lower, upper, unit = "") {
    return lower > 0
      ? `most often ${two_digits(lower)} to ${two_digits(upper)}${unit}`
      : `most often less than ${two_digits(upper)}${unit}`;
  }

  function worth(answer) {
    const rows = `${two_digits_above(answer.worth_rows)} rows`;
    const from = answer.worth_epsilon
      ? `${rows} at this epsilon, or from epsilon ${two_digits_above(answer.worth_epsilon)} with these rows`
      : rows;
    return `From ${from} a model is worth it.`;
  }

  // { headline, meaning } of an answer: the one number, and what it means.
  function told(kind, answer) {
    const { field, factor } = KINDS[kind];
    if (!answer)
      return {
        headline: "A model needs at least one column to learn from.",
        meaning: "Move one of the column sliders up.",
      };
    if (answer.method === "constant") {
      return {
        headline: "Too few rows for a model at this epsilon.",
        meaning: `An answer that looks at no column does as well or better. ${worth(answer)}`,
      };
    }
    const value = factor * answer[field];
    if (kind === "mean") {
      return {
        headline: `The mean is off by at most ${two_digits_above(value)}% of its range.`,
        meaning:
          "Root mean square, from the noise for privacy; that is proven for every table. " +
          "The range lies between the bounds that you state.",
      };
    }
    if (kind === "median") return median(value);
    const lower = factor * answer.told_lower,
      upper = factor * answer.told_upper;
    if (kind === "number") {
      return {
        headline: `Predictions move by about ${two_digits(value)}% of the target's range.`,
        meaning:
          `Root mean square, because of privacy; ${range(lower, upper, "%")}. ` +
          "The range lies between the bounds that you state for the target.",
      };
    }
    const against = "One point: one more wrong answer in a hundred than the same model gives without privacy.";
    if (value < FEW_POINTS) {
      return {
        headline: `Expect to lose less than ${two_digits(upper)} points of accuracy.`,
        meaning: `Privacy costs hardly anything here. ${against}`,
      };
    }
    return {
      headline: `Expect to lose about ${two_digits(value)} points of accuracy to privacy.`,
      meaning: `${capital(range(lower, upper))}. ${against}`,
    };
  }

  function median(value) {
    if (value >= 50)
      return {
        headline: "Nothing of use is promised about this median.",
        meaning: "With more rows or a larger epsilon the theorem would say something; the answer may still be good.",
      };
    return {
      headline: `The number is as central as the median, up to ${two_digits_above(value)}% of the range.`,
      meaning:
        "The mean distance from the rows to it is at most that much above the smallest possible, on average; " +
        "that is proven for every table.",
    };
  }

  function promise(grid, answer, zero) {
    const what = `mean ${LOSSES[grid.loss]}`;
    const scaled = ["squared", "absolute"].includes(grid.loss) ? ", the target scaled to −1 … 1" : "";
    const scale = `(knowing nothing costs ${scaled ? "up to " : ""}${two_digits(zero)}${scaled})`;
    const at_most = (bound) =>
      `${what} at most ${two_digits_above(bound)} above that of the best model of its kind, ` +
      `on average over the noise, for every table ${scale}`;
    if (answer.bound < zero)
      return { value: `≤ ${two_digits_above(answer.bound)}`, text: `Proven: ${at_most(answer.bound)}.` };
    const none =
      answer.bound === Infinity
        ? `Nothing is proved of ${answer.method} with its usual settings`
        : `The theorem of ${answer.method} says nothing of use here`;
    if (answer.best_bound < zero) {
      return {
        value: "none",
        text: `${none}. If you need a proof, ${answer.best_method} promises a ${at_most(answer.best_bound)}.`,
      };
    }
    return {
      value: "none",
      text: "No method promises anything of use for every table at this size and epsilon.",
    };
  }

  // The facts below the headline: { term, value, text }.
  function facts(kind, grid, place, answer) {
    const list = [],
      zero = grid.loss_of_zero[place.classes];
    list.push({
      id: "guess",
      term: "What an attacker gains",
      value: `${percent_above(answer.right_guesses)}%`,
      text:
        "Someone who knows all other rows, and must say which of two values one row had, guesses right at most " +
        `${percent_above(answer.right_guesses)}% of the time. A coin: 50%.`,
    });
    if (answer.risk !== null && answer.risk !== undefined) {
      list.push({
        id: "risk",
        term: "Excess risk",
        value: two_digits(answer.risk),
        text:
          `Mean ${LOSSES[grid.loss]} above that of the same model without privacy; ` +
          `${range(answer.risk_lower, answer.risk_upper)}.` +
          (grid.loss === "squared" ? " The target is scaled to −1 … 1." : ""),
      });
    }
    list.push({ id: "promise", term: "Promised for every table", ...promise(grid, answer, zero) });
    list.push({
      id: "method",
      term: "Method that is taken",
      value: answer.method,
      text:
        `In words: ${(kind === "mean" ? MEAN_METHODS : METHODS)[answer.method]}. ` +
        "It is chosen from public facts, so choosing costs no privacy.",
    });
    return list;
  }

  // The schema and the command that ask the same.
  function schema(kind, grid, steps) {
    const { axes } = grid,
      values = (n) => `[${Array.from({ length: n }, (_, i) => `"value ${i + 1}"`).join(", ")}]`;
    const target = {
      classify: `kind = "binary"\npositive = ["yes"]`,
      classes: `kind = "class"\nvalues = ${values(axes.classes[steps.classes])}`,
    };
    let text = `version = 1\n\n[target]\ncolumn = "target"\n${target[kind] || 'kind = "real"\nlower = 0\nupper = 1'}\n`;
    for (let i = 1; i <= axes.numbers[steps.numbers]; ++i)
      text += `\n[[column]]\nname = "number ${i}"\nkind = "real"\nlower = 0\nupper = 1\n`;
    for (let i = 1; i <= axes.categories[steps.categories]; ++i) {
      text += `\n[[column]]\nname = "category ${i}"\nkind = "category"\n`;
      text += `values = ${values(grid.values_of_a_category)}\n`;
    }
    return text;
  }

  function command(kind, grid, place) {
    const { axes } = grid;
    return (
      `dperm plan --schema schema.toml --rows ${axes.rows[place.rows]} --epsilon ${axes.epsilon[place.epsilon]}` +
      ` --delta ${axes.delta[place.delta]}${kind === "median" ? " --loss absolute" : ""}`
    );
  }

  return { KINDS, count, two_digits, two_digits_above, told, facts, schema, command };
})();
