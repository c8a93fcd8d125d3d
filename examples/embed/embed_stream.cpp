// SPDX-License-Identifier: Apache-2.0
// A private mean of numbers that a program holds in memory, handed over as an Arrow C stream. No header of Arrow is
// needed: the three structs below are the interface, laid down at arrow.apache.org.
#include <cstdint>
#include <cstdio>
#include <dperm/dperm.hpp>
#include <vector>

struct ArrowSchema {
  const char *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace {

// One batch with one column of doubles; everything it points to lives as long as the program.
std::vector<double> ages;
const void* cells[] = {nullptr, nullptr};  // validity (none is missing), values
const void* no_cells[] = {nullptr};
ArrowSchema age_field{"g",    "age", nullptr, 0, 0, nullptr, nullptr, [](ArrowSchema* s) { s->release = nullptr; },
                      nullptr};
ArrowArray age_column{0, 0, 0, 2, 0, cells, nullptr, nullptr, [](ArrowArray* a) { a->release = nullptr; }, nullptr};
ArrowSchema* fields[] = {&age_field};
ArrowArray* columns[] = {&age_column};
bool sent = false;

int get_schema(ArrowArrayStream*, ArrowSchema* out) {
  const auto release = [](ArrowSchema* s) { s->release = nullptr; };
  *out = {"+s", "", nullptr, 0, 1, fields, nullptr, release, nullptr};
  return 0;
}

int get_next(ArrowArrayStream*, ArrowArray* out) {
  const auto release = [](ArrowArray* a) { a->release = nullptr; };
  const auto rows = static_cast<std::int64_t>(ages.size());
  *out = sent ? ArrowArray{} : ArrowArray{rows, 0, 0, 1, 1, no_cells, columns, nullptr, release, nullptr};
  sent = true;
  return 0;
}

}  // namespace

int main() {
  for (int i = 0; i < 10'000; ++i) ages.push_back(20 + i % 50);
  cells[1] = ages.data();
  age_column.length = static_cast<std::int64_t>(ages.size());
  ArrowArrayStream stream{get_schema, get_next, [](ArrowArrayStream*) -> const char* { return nullptr; },
                          [](ArrowArrayStream* s) { s->release = nullptr; }, nullptr};
  try {
    dperm::Schema schema;
    schema.target = {.kind = dperm::TargetKind::real, .name = "age", .lower = 0, .upper = 120};
    const dperm::Dataset people = dperm::read_stream(&stream, schema);
    dperm::Task task{.schema = schema, .rows = people.rows(), .budget = {.epsilon = 0.5, .delta = 0}};
    task.problem.loss = {.kind = dperm::LossKind::squared};
    const dperm::Model model = dperm::fit(dperm::plan(task), people);
    std::printf("mean age %.2f (exact: 44.50), epsilon %g\n", model.coefficients().at(0).value,
                model.guarantee().epsilon);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
