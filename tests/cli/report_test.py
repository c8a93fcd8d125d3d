# SPDX-License-Identifier: Apache-2.0
"""dperm report: the page of every kind of model, of those that must warn first, and of several together."""

import html.parser
import unittest

import cli_case
import report_models
from cli_case import BUDGET, CliCase
from report_models import EVIL, FITS, forged, visible_text

SECTIONS = ("promise", "learned", "judged", "outlook", "cost", "proof", "limits", "card")


class Page(html.parser.HTMLParser):
    """What a browser would make of it: tags and attributes as they are parsed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.ids = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]


class Report(CliCase):
    def setUp(self):
        super().setUp()
        report_models.write_tables(self, rows=1200)

    def report(self, *models, output="report.html", arguments=()):
        self.succeed("report", *models, "-o", output, *arguments)
        return self.path(output).read_text()

    def check(self, text, prefix=""):
        page = Page(text)
        for section in SECTIONS:
            self.assertEqual(page.ids.count(prefix + section), 1, section)
        self.assertNotIn("script", page.tags)
        self.assertFalse([name for name, _ in page.attributes if name.startswith("on") or name == "src"])
        for _, value in page.attributes:
            self.assertFalse((value or "").startswith(("http", "//", "javascript")), value)
        return page

    def test_every_kind_of_model_has_every_section(self):
        for name in ("linear", "judged", "regression", "additive", "softmax", "network", "rule", "mean", "median"):
            with self.subTest(model=name):
                report_models.fit(self, name)
                text = self.report(f"{name}.json")
                self.check(text)
                self.assertNotIn('class="banner"', text)
                self.assertIn("guesses right at most", text)
                self.assertIn("Why the promise holds", text)

    def test_numbers_are_those_of_the_model_file_and_of_account(self):
        report_models.fit(self, "judged")
        text, model = visible_text(self.report("judged.json")), self.model("judged.json")
        self.assertIn(model["digest"], text)
        self.assertIn(f"{100 * model['evaluation']['measures']['accuracy']['value']:.1f}%", text)
        report_models.fit(self, "linear")
        text = visible_text(self.report("linear.json"))
        attack = self.succeed("account", "--file", "linear.json", "--delta", "1e-6", "--json").json()["attacker"]
        self.assertIn(f"guesses right at most {-(-1000 * (1 + attack['advantage']) / 2 // 1) / 10:.1f}%", text)

    def test_fit_writes_the_same_page(self):
        self.fit("--report", "fitted.html")
        self.assertEqual(self.report("model.json"), self.path("fitted.html").read_text())
        before = self.listing()
        self.refuse(2, ["would overwrite"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json",
                    "--report", "m.json")
        self.refuse(2, ["would overwrite"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json",
                    "--report", "people.csv")
        self.assertEqual(self.listing(), before)

    def test_a_warning_comes_first(self):
        for name, words in (("seeded", "This model is NOT private."), ("open", "This model is NOT private."),
                            ("forged", "This file does not verify.")):
            with self.subTest(model=name):
                if name == "forged":
                    self.write("forged.json", forged(report_models.fit(self, "linear").read_text()))
                else:
                    report_models.fit(self, name)
                text = self.report(f"{name}.json")
                self.check(text)
                self.assertTrue(visible_text(text).strip().startswith(words), visible_text(text)[:200])
                self.assertNotIn("Why the promise holds", text)

    def test_no_name_becomes_markup(self):
        report_models.fit(self, "hostile")
        name = "<img src=x onerror=alert(3)>.json"
        self.write(name, self.path("hostile.json").read_text())
        text = self.report(name, arguments=("--title", EVIL[0]))
        page = self.check(text)
        self.assertNotIn("img", page.tags)
        self.assertNotIn("b", page.tags)
        self.assertNotIn("\u202e", text)
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt;", text)

    def test_several_models_add_up(self):
        report_models.fit(self, "linear")
        report_models.fit(self, "rule")
        text = self.report("linear.json", "rule.json")
        self.check(text, "m1-")
        self.check(text, "m2-")
        self.assertIn("together they cost epsilon 2, delta 1e-6", visible_text(text))

    def test_bounds_that_were_inferred_once_count_once(self):
        self.write("big.csv", cli_case.csv_text(cli_case.people(20000)))
        self.succeed("schema", "infer", "big.csv", "--target", "sick", "--ignore", "cost", "--epsilon", "1", "-o", "in.toml")
        for name in ("a", "b"):
            self.fit(data="big.csv", schema="in.toml", output=f"{name}.json")
        single = visible_text(self.report("a.json"))
        self.assertIn("In total, if it is the same people&#39;s table 2 1.1e-6", single)
        self.assertIn("together they cost epsilon 3, delta 2.1e-6", visible_text(self.report("a.json", "b.json")))

    def test_what_is_no_model_is_refused(self):
        self.write("damaged.json", "{}")
        self.refuse(3, ["damaged.json"], "report", "damaged.json", "-o", "r.html")
        self.refuse(3, ["missing.json"], "report", "missing.json", "-o", "r.html")
        report_models.fit(self, "mean")
        self.refuse(2, ["would overwrite"], "report", "mean.json", "-o", "mean.json")

    def test_proof_notes_become_links_on_demand(self):
        report_models.fit(self, "mean")
        self.assertNotIn("<a href=\"dperm", self.report("mean.json"))
        text = self.report("mean.json", arguments=("--notes", "../source/"))
        self.assertIn('<a href="../source/dperm/privacy/curator/curator.md">', text)


if __name__ == "__main__":
    unittest.main()
