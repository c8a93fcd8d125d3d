# SPDX-License-Identifier: Apache-2.0
"""The accuracy table as Markdown: one line per problem and method, one column per epsilon."""


def cell(entry, name):
    if name not in entry["methods"]:
        return "-"
    each = entry["methods"][name]
    text = f"{each['mean']:.4f} \u00b1 {each['deviation']:.4f}" if each["seeds"] > 1 else f"{each['mean']:.4f}"
    return f"**{text}**" if name == entry["auto"] else text


def seeds(block):
    counts = sorted({each["seeds"] for entry in block["epsilons"] for each in entry["methods"].values()})
    return " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))


def write(table):
    lines = []
    for block in table:
        epsilons = [entry["epsilon"] for entry in block["epsilons"]]
        names = dict.fromkeys(name for entry in block["epsilons"] for name in entry["methods"])
        reference = "not computed" if block["optimum"] is None else f"{block['optimum']:.4f}"
        lines += [f"**{block['problem']}**: {block['metric']}, delta {block['delta']:g}; without privacy {reference}, trivial "
                  f"{block['trivial']:.4f}; seeds: {seeds(block)}", "",
                  "| method | " + " | ".join(f"epsilon {epsilon:g}" for epsilon in epsilons) + " |",
                  "| --- |" + " --- |" * len(epsilons)]
        lines += [f"| {name} | " + " | ".join(cell(entry, name) for entry in block["epsilons"]) + " |" for name in names]
        lines.append("")
    return "\n".join(lines)
