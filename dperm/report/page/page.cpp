// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dperm/core/check.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/style.hpp"

namespace dperm::report {

namespace {

// "blake2b-256:...": the last key of the file.
std::string digest_in(const std::string& json) {
  constexpr std::string_view kKey = "\"digest\": \"";
  const std::size_t at = json.rfind(kKey);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kKey.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

std::vector<Section> sections_of(const Facts& facts, const Place& place) {
  return {{"promise", "What is promised", promise_section(facts, place)},
          {"learned", "What was learned", learned_section(facts, place)},
          {"judged", "How good it is", judged_section(facts, place)},
          {"outlook", "What was planned, and what came out", outlook_section(facts, place)},
          {"cost", "What it cost in privacy", cost_section(facts, place)},
          {"proof", facts.keeps_its_promise() ? "Why the promise holds" : "What left the data, and how to check it",
           proof_section(facts, place)},
          {"limits", "What must not be concluded", limits_section(facts, place)},
          {"card", "Model card", card_section(facts, place)}};
}

Html section(const Section& section, const Place& place) {
  const std::string id = place.prefix + section.id;
  return element("section", {{"aria-labelledby", id}}, heading(place.level, section.title, id) + section.content);
}

Html contents(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::vector<Html> links;
  for (const auto& [id, title] : entries) links.push_back(element("a", {{"href", "#" + id}}, title));
  return element("nav", {{"aria-label", "Contents"}}, list(links));
}

// What the page has of one model beneath its heading.
Html body_of(const Facts& facts, const Place& place) {
  Html content;
  for (const Section& each : sections_of(facts, place)) content += section(each, place);
  return content;
}

// `noisy`: no model on the page was made without noise.
Html document(const std::string& title, const Html& header, const Html& main, bool noisy) {
  const Html footer = paragraph(fmt::format(
      "Made by dperm {} from model files alone. {}", model::kVersion,
      noisy ? "Every number and picture on this page was released with noise, follows from such numbers, or "
              "is public; no record was looked at to make it."
            : "NOT everything on this page was released with noise: see the warning at its top."));
  return Html::markup("<!DOCTYPE html>\n") +
         element(
             "html", {{"lang", "en"}},
             element("head",
                     mark("meta", {{"charset", "utf-8"}}) +
                         mark("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
                         mark("meta", {{"name", "referrer"}, {"content", "no-referrer"}}) +
                         // Were markup ever to slip through, it could neither run nor ask for anything.
                         mark("meta", {{"http-equiv", "Content-Security-Policy"},
                                       {"content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:"}}) +
                         element("title", title) + element("style", Html::markup(std::string(page_style())))) +
                 element("body", element("header", header) + element("main", main) + element("footer", footer)));
}

std::string one_title(const Facts& facts) {
  const std::string& target = facts.model.schema.target.name;
  return facts.one_number ? task_title(facts) : "A model of " + target;
}

Html page_of_one(const Facts& facts, const PageOptions& options) {
  const Place place{2, "", options.notes};
  std::vector<std::pair<std::string, std::string>> entries;
  const std::vector<Section> sections = sections_of(facts, place);
  Html main;
  for (const Section& each : sections) {
    entries.emplace_back(each.id, each.title);
    main += section(each, place);
  }
  const std::string title = options.title.empty() ? one_title(facts) : options.title;
  const Html header = banner(facts) + element("p", {{"class", "kind"}}, "Privacy and accuracy report") +
                      heading(1, title) + headline(facts) + contents(entries);
  return document(title + ": report", header, main, !facts.is_unprotected());
}

Html page_of_several(const std::vector<Facts>& models, const PageOptions& options) {
  const std::string title =
      options.title.empty() ? fmt::format("{} models, and what they cost together", models.size()) : options.title;
  Html banners, main = section({"together", "Side by side", comparison_section(models)}, {2, ""});
  std::vector<std::pair<std::string, std::string>> entries = {{"together", "Side by side"}};
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Facts& facts = models[i];
    const std::string prefix = fmt::format("m{}-", i + 1), name = facts.name + ": " + one_title(facts);
    const Html warning = banner(facts);
    if (!warning.empty() && !facts.keeps_its_promise()) {
      banners += element("div", {{"class", "banner"}},
                         paragraph(strong(facts.name) + (facts.verified || facts.is_unprotected()
                                                             ? " is NOT private."
                                                             : " does not verify. Do not rely on it.")));
    }
    main += element(
        "section", {{"class", "model"}, {"aria-labelledby", prefix + "top"}},
        heading(2, name, prefix + "top") + warning + headline(facts) + body_of(facts, {3, prefix, options.notes}));
    entries.emplace_back(prefix + "top", name);
  }
  const Html header = banners + element("p", {{"class", "kind"}}, "Privacy and accuracy report") + heading(1, title) +
                      contents(entries);
  const bool noisy =
      std::none_of(models.begin(), models.end(), [](const Facts& each) { return each.is_unprotected(); });
  return document(title, header, main, noisy);
}

}  // namespace

std::string page(const std::vector<PageModel>& models, const PageOptions& options) {
  require(!models.empty(), "a report needs at least one model");
  std::vector<Facts> facts;
  for (const PageModel& each : models) {
    facts.push_back(
        facts_of(each.model, each.name, each.digest.empty() ? digest_in(model::to_json(each.model)) : each.digest));
  }
  return (facts.size() == 1 ? page_of_one(facts[0], options) : page_of_several(facts, options)).text();
}

}  // namespace dperm::report
