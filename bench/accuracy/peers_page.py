# SPDX-License-Identifier: Apache-2.0
"""peers.json as a page (docs/peers_details.md) and a picture: a block per table, a line per program, a column per epsilon."""

import math
import statistics

import more_sets
import peers_programs
import picture

POINT = 0.01
# (what dperm with defaults is compared with, points it may be behind)
AIMS = (("constant", 0.5 * POINT), ("dp-ebm tuned", 0.5 * POINT), ("its own linear methods", 0.25 * POINT))
DRAWN = ["dperm", "dp-ebm tuned", "dp-ebm", "dp-sgd tuned", "diffprivlib"]
FLOOR = 0.4  # a picture shows nothing that is worse than the constant by more than this part of the way to the best

INTRODUCTION = """# Beside other tools, in full

There is a [summary](peers.md). What `make bench-peers` measures on public tables, in one run: same rows, same schema (bounds, scales and categories), epsilon and delta (1e-6) for all, scores on
test rows, means over seeds. The scripts are `bench/accuracy/peers*.py`, the tables `bench/accuracy/sets.py` and `more_sets.py`, their data is read from the folder named by `DPERM_DATA`:

<!-- not run: takes hours, and needs the data -->
```sh
make bench-peers PEERS="--only adult --seeds 2"
```

Results are kept in `build/bench/peers.json`, cell by cell, so that the table may be made in parts.

| program | what it learns | what it promises |
| --- | --- | --- |
| dperm | what `dperm fit` takes by default | (epsilon, delta), a record replaced by another; the number of rows is public |
| dperm METHOD | a linear model by the method named | the same |
| dp-ebm | additive model, InterpretML's `DPExplainableBoosting...` with defaults (learning rate 0.01) | (epsilon, delta), a record more or less: for the same epsilon its noise is about half. The names of categories are taken from the records |
| dp-ebm tuned | the same with the best of four learning rates **on the test rows**: not private, and flattering | that of one of the four fits |
| diffprivlib | linear model, IBM's `LogisticRegression` or `LinearRegression`, given row length and bounds | epsilon alone, delta is not used: a stronger promise, which costs it accuracy |
| dp-sgd | linear model as users of Opacus train it: Poisson batches, gradients clipped to 1, Adam (rate 0.01), noise by dp-accounting. Written out in NumPy | (epsilon, delta), a record more or less |
| dp-sgd tuned | the same with the best of four learning rates on the test rows | that of one of the four fits |
| constant, linear, boosting | base rate or mean; the best linear model; scikit-learn's gradient boosting | none |

Only dperm's noise is made of exact integers ([the guarantee](privacy_model.md)); the others draw floating-point numbers.
"""


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def summary(cells):
    """Means over seeds of every score; deviation of the first."""
    first = next(iter(cells[0]))
    result = {name: statistics.mean(cell[name] for cell in cells) for name in cells[0]}
    values = [cell[first] for cell in cells]
    return result | {
        "mean": result[first],
        "seeds": len(cells),
        "deviation": statistics.stdev(values) if len(values) > 1 else 0.0,
    }


def with_tuned(methods):
    """Names with a learning rate become the default and the best of all."""
    result = {name: each for name, each in methods.items() if number(name.split()[-1]) is None}
    for name, (_, rates, _) in peers_programs.PRIVATE.items():
        tried = [methods[f"{name} {rate:g}"] for rate in rates if rate is not None and f"{name} {rate:g}" in methods]
        if tried:
            result[name] = tried[0]
            result[f"{name} tuned"] = max(tried, key=lambda each: each["mean"])
    return result


def order(name):
    names = ["dperm", "dp-ebm tuned", "dp-ebm", "dp-sgd tuned", "dp-sgd", "diffprivlib"]
    return (names.index(name) if name in names else len(names), name)


def blocks(content):
    """One per table that has been measured, in the order of the tables."""
    grouped = {}
    for key, scores in content["cells"].items():
        table, epsilon, program, _ = key.split(" | ")
        grouped.setdefault(table, {}).setdefault(float(epsilon), {}).setdefault(program, []).append(scores)
    result = []
    for name in more_sets.NAMES:
        if name not in grouped:
            continue
        references = {program: summary(cells) for program, cells in grouped[name].pop(0.0, {}).items()}
        entries = []
        for epsilon in sorted(grouped[name]):
            methods = with_tuned({program: summary(cells) for program, cells in grouped[name][epsilon].items()})
            entries.append(
                {
                    "epsilon": epsilon,
                    "auto": "dperm",
                    "methods": {key: methods[key] for key in sorted(methods, key=order)},
                }
            )
        result.append(
            {
                "problem": name,
                "metric": "r2" if content["tables"][name]["kind"] == "real" else "accuracy",
                "references": references,
                "epsilons": entries,
                **content["tables"][name],
            }
        )
    return result


def rivals(block, entry, aim):
    """(score, squared standard error) of what the defaults are compared with, or nothing."""
    if aim == "constant":
        return [(block["references"]["constant"]["mean"], 0.0)] if "constant" in block["references"] else []
    own = [name for name in entry["methods"] if name.startswith("dperm ")]
    names = own if aim == "its own linear methods" else [aim]
    return [(each["mean"], each["deviation"] ** 2 / each["seeds"]) for each in map(entry["methods"].get, names) if each]


def behind(block, entry, aim, allowed):
    """How far the defaults are behind, 0 where within what is allowed (or two standard errors); None: not measured."""
    ours, found = entry["methods"].get("dperm"), rivals(block, entry, aim)
    if not ours or not found:
        return None
    score, square = max(found)
    error = math.sqrt(square + ours["deviation"] ** 2 / ours["seeds"])
    gap = score - ours["mean"]
    return gap if gap > max(allowed, 2 * error) else 0.0


def verdict(table):
    lines = ["## In short", ""]
    for aim, allowed in AIMS:
        gaps = {
            (block["problem"], entry["epsilon"]): behind(block, entry, aim, allowed)
            for block in table
            for entry in block["epsilons"]
        }
        measured = {cell: gap for cell, gap in gaps.items() if gap is not None}
        if not measured:
            continue
        worse = {cell: gap for cell, gap in measured.items() if gap > 0}
        lines.append(
            f"- Beside {aim}, dperm with defaults is at least as good, within {allowed / POINT:g} points or two standard "
            f"errors, in {len(measured) - len(worse)} of {len(measured)} cells (table and epsilon)"
            + (
                ": not on "
                + ", ".join(f"{name} at {epsilon:g} ({gap / POINT:.1f})" for (name, epsilon), gap in worse.items())
                if worse
                else ""
            )
            + "."
        )
    return lines + [""] if len(lines) > 2 else []


def score_text(each, name="mean"):
    if each is None or name not in each:
        return "-"
    value = each[name]
    if value < -1:
        return "below -1"
    spread = (
        f" \u00b1 {each['deviation']:.3f}"
        if name == "mean" and each["seeds"] > 1 and value + each["deviation"] < 10
        else ""
    )
    return f"{value:.4f}{spread}"


def lines_of(block):
    epsilons = [entry["epsilon"] for entry in block["epsilons"]]
    names = sorted({name for entry in block["epsilons"] for name in entry["methods"]}, key=order)
    reference = ", ".join(f"{name} {score_text(each | {'seeds': 1})}" for name, each in block["references"].items())
    seeds = sorted({each["seeds"] for entry in block["epsilons"] for each in entry["methods"].values()})
    told = f"; seeds: {' to '.join(str(count) for count in dict.fromkeys((seeds[0], seeds[-1])))}" if seeds else ""
    lines = [
        f"**{block['problem']}**: {block['metric']}; {block['rows']} rows, {block['columns']} columns, "
        f"{block['test_rows']} test rows; "
        f"without privacy: {reference}{told}",
        "",
    ]
    if not epsilons:
        return lines
    lines += [
        "| program | " + " | ".join(f"epsilon {epsilon:g}" for epsilon in epsilons) + " |",
        "| --- |" + " --- |" * len(epsilons),
    ]
    for name in names:
        texts = [score_text(entry["methods"].get(name)) for entry in block["epsilons"]]
        lines.append(f"| {name} | " + " | ".join(f"**{text}**" if name == "dperm" else text for text in texts) + " |")
    return lines + [""]


def probabilities(table):
    """Log loss, calibration error and area under the curve of the binary tables."""
    lines = [
        "## Probabilities",
        "",
        "Log loss / expected calibration error (15 bins) / area under the ROC curve; tuned programs at the rate of "
        "the best accuracy.",
        "",
        "| table | program | " + " | ".join(f"epsilon {epsilon:g}" for epsilon in (0.1, 0.5, 1, 3)) + " |",
        "| --- | --- | --- | --- | --- | --- |",
    ]

    def cell(each):
        return "-" if not each else f"{each['log_loss']:.3f} / {each['ece']:.3f} / {each['auc']:.3f}"

    for block in table:
        if block["kind"] != "binary":
            continue
        by_epsilon = {entry["epsilon"]: entry["methods"] for entry in block["epsilons"]}
        for name in ("dperm", "dp-ebm tuned", "dp-sgd tuned", "diffprivlib"):
            if any(name in methods for methods in by_epsilon.values()):
                texts = [cell(by_epsilon.get(epsilon, {}).get(name)) for epsilon in (0.1, 0.5, 1, 3)]
                lines.append(f"| {block['problem']} | {name} | " + " | ".join(texts) + " |")
        for name in ("constant", "linear", "boosting"):
            if name in block["references"]:
                lines.append(
                    f"| {block['problem']} | {name}, without privacy | {cell(block['references'][name])} | | | |"
                )
    return lines + [""]


def write(content):
    table = blocks(content)
    lines = [INTRODUCTION, *verdict(table), "![test scores against epsilon](peers.svg)", "", "## Scores", ""]
    for block in table:
        lines += lines_of(block)
    return "\n".join(lines + probabilities(table))


def drawn(block):
    """A block as the picture wants it: few lines, nothing far below the constant."""
    references = {name: each["mean"] for name, each in block["references"].items()}
    chosen = [
        {name: entry["methods"][name]["mean"] for name in DRAWN if name in entry["methods"]}
        for entry in block["epsilons"]
    ]
    best = max([value for methods in chosen for value in methods.values()] + list(references.values()))
    low = references.get("constant", 0.0)
    floor = low - FLOOR * (best - low)
    entries = [
        {
            "epsilon": entry["epsilon"],
            "auto": "dperm",
            "methods": {name: {"mean": max(value, floor)} for name, value in methods.items()},
        }
        for entry, methods in zip(block["epsilons"], chosen)
    ]
    return {
        "problem": f"{block['problem']}, {block['rows']} rows",
        "metric": block["metric"],
        "epsilons": entries,
        "optimum": references.get("linear"),
        "trivial": references.get("constant"),
        "boosting": references.get("boosting"),
    }


def draw(content):
    table = [drawn(block) for block in blocks(content) if block["epsilons"] and block["references"]]
    remark = "test score against epsilon (log scale); ring: dperm with defaults; without privacy: dotted constant and linear, "
    return picture.draw(table, remark + "dashed boosting; at the bottom: or lower")
