// SPDX-License-Identifier: Apache-2.0
// Nanoseconds of processor time for one rounded Gaussian: the vector sampler against the one that draws a normal at a
// time, with bits of three sources, as JSON lines. A line a sigma compares vectors from the secure source with single
// draws from bits fetched from the operating system.
#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <vector>

#include "dperm/random/noise/gaussian.hpp"
#include "dperm/random/noise/lazy_normal.hpp"

namespace {

using namespace dperm::random;

constexpr std::size_t kSamples = 203'530;  // the weights of a small neural network

// Blocks of 1 KiB from the operating system's generator.
class SystemBits final : public BitSource {
 public:
  std::uint64_t next() override {
    if (used_ == block_.size()) {
      randombytes_buf(block_.data(), sizeof block_);
      used_ = 0;
    }
    return block_[used_++];
  }
  bool secure() const override { return true; }

 private:
  std::array<std::uint64_t, 128> block_{};
  std::size_t used_ = block_.size();
};

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The best of several runs: the others were disturbed.
template <class Work>
double nanoseconds(std::size_t items, Work&& work) {
  double best = 1e300;
  for (int run = 0; run < 15; ++run) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
  }
  return best * 1e9 / static_cast<double>(items);
}

struct Times {
  double vectors, single;
};

Times measure(BitSource& bits, const char* source, double sigma) {
  std::vector<std::int64_t> samples(kSamples);
  std::vector<std::uint64_t> words(kSamples);
  const double bare = nanoseconds(kSamples, [&] { bits.fill(words); });
  const double vectors = nanoseconds(kSamples, [&] { rounded_gaussians(bits, sigma, samples); });
  const double single = nanoseconds(kSamples / 8, [&] {
    for (std::size_t j = 0; j < kSamples / 8; ++j) {
      samples[j] = detail::round_multiple(bits, sigma, detail::draw_normal(bits));
    }
  });
  fmt::print(
      "{{\"bits\": \"{}\", \"sigma\": {}, \"bits_ns\": {:.2f}, \"vector_ns\": {:.2f}, \"single_ns\": {:.1f}, "
      "\"ratio\": {:.1f}}}\n",
      source, sigma, bare, vectors, single, single / vectors);
  return {vectors, single};
}

}  // namespace

int main() {
  SecureBits secure;
  SeededBits seeded(1);
  SystemBits system;
  for (const double sigma : {0.5, 1000.0, 0x1p20, 0x1p30, 0x1p36, 0x1p40}) {
    const Times now = measure(secure, "secure", sigma);
    measure(seeded, "seeded", sigma);
    const Times then = measure(system, "system", sigma);
    fmt::print("{{\"sigma\": {}, \"single_from_system_ns\": {:.1f}, \"vector_ns\": {:.2f}, \"ratio\": {:.1f}}}\n",
               sigma, then.single, now.vectors, then.single / now.vectors);
  }
}
