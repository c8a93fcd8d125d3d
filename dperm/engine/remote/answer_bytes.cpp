// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/remote/answer_bytes.hpp"

#include <algorithm>
#include <iterator>

#include "dperm/engine/remote/bytes.hpp"

namespace dperm::engine::remote {

namespace {

constexpr std::uint64_t kAnswerMark = 0x3141'4d52'4550'4444;  // "DDPERMA1"

std::size_t end_of(const RowRun& run) { return run.first + run.count; }

// [proof engine_remote.add]
std::vector<RowRun> joined(const std::vector<RowRun>& a, const std::vector<RowRun>& b) {
  std::vector<RowRun> all(a);
  all.insert(all.end(), b.begin(), b.end());
  std::ranges::sort(all, {}, &RowRun::first);
  std::vector<RowRun> result;
  for (const RowRun& run : all) {
    ensure(result.empty() || end_of(result.back()) <= run.first, "rows of a part were about to be counted twice");
    if (!result.empty() && end_of(result.back()) == run.first) {
      result.back().count += run.count;
    } else {
      result.push_back(run);
    }
  }
  return result;
}

template <class T>
std::vector<T> added(const std::vector<T>& a, const std::vector<T>& b) {
  ensure(a.size() == b.size(), "parts answered with different numbers of totals");
  std::vector<T> sums(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ensure(!__builtin_add_overflow(a[i], b[i], &sums[i]), "totals of parts do not fit");
  }
  return sums;
}

SortedTargets added(const SortedTargets& a, const SortedTargets& b) {
  SortedTargets all;
  all.targets.reserve(a.targets.size() + b.targets.size());
  std::ranges::merge(a.targets, b.targets, std::back_inserter(all.targets));
  return all;
}
// [/proof]

}  // namespace

template <class Archive>
void members(Archive& archive, RowRun& run) {
  archive(run.first, run.count);
}
template <class Archive>
void members(Archive& archive, SortedTargets& sorted) {
  archive(sorted.targets);
}

template <class Archive>
void members(Archive& archive, Answer& answer) {
  archive(answer.serial, answer.rows, answer.body);
}

std::string to_bytes(Answer answer) {
  ByteWriter writer;
  std::uint64_t mark = kAnswerMark;
  writer(mark, answer);
  return writer.take();
}

Answer answer_from(std::string_view bytes) {
  ByteReader reader(bytes);
  std::uint64_t mark = 0;
  Answer answer;
  reader(mark);
  ensure(mark == kAnswerMark, "bytes from another machine are not an answer of this version");
  reader(answer);
  reader.end();
  std::size_t next = 0;
  for (const RowRun& run : answer.rows) {
    ensure(run.count > 0 && run.first >= next && run.count < SIZE_MAX - run.first, "an answer counts impossible rows");
    next = end_of(run) + 1;
  }
  if (const auto* sorted = std::get_if<SortedTargets>(&answer.body)) {
    ensure(std::ranges::is_sorted(sorted->targets), "an answer's targets are not sorted");
  }
  return answer;
}

Answer sum(const Answer& a, const Answer& b) {
  ensure(a.serial == b.serial && a.body.index() == b.body.index(), "answers to different questions do not add up");
  Answer result{a.serial, joined(a.rows, b.rows), {}};
  std::visit(
      [&](const auto& body) { result.body = added(body, std::get<std::remove_cvref_t<decltype(body)>>(b.body)); },
      a.body);
  return result;
}

}  // namespace dperm::engine::remote
