// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/chunk_packer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace cenic::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

constexpr std::size_t kStoredBlock = 65535, kLongestMatch = 258, kShortestMatch = 8;
constexpr std::size_t kFurthest = 32768;  // of deflate's matches
constexpr std::size_t kSamples = 32;      // bytes looked at to tell noise
constexpr std::size_t kFewRepeats = kSamples / 8;

struct Bits {
  std::uint32_t value = 0;
  int count = 0;
};

// Huffman codes go highest bit first, everything else lowest bit first.
Bits reverse(std::uint32_t code, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    value |= (code >> i & 1) << (count - 1 - i);
  }
  return {value, count};
}

Bits join(const Bits& a, const Bits& b) {
  return {a.value | b.value << a.count, a.count + b.count};
}

// The fixed code of RFC 1951, section 3.2.6.
Bits make_code(std::uint32_t symbol) {
  if (symbol < 144) return reverse(0x30 + symbol, 8);
  if (symbol < 256) return reverse(0x190 + symbol - 144, 9);
  if (symbol < 280) return reverse(symbol - 256, 7);
  return reverse(0xc0 + symbol - 280, 8);
}

// Lengths and distances, section 3.2.5: each group of `step` symbols takes one bit more than the
// group before to say where in its range a number lies.
Bits split_range(std::uint32_t x, std::uint32_t step, std::uint32_t* symbol) {
  if (x < 2 * step) {
    *symbol = x;
    return {};
  }
  const int extra = std::bit_width(x / step) - 1;
  *symbol = static_cast<std::uint32_t>(extra) * step + (x >> extra);
  return {x & ((1u << extra) - 1), extra};
}

Bits make_length(std::size_t length) {
  if (length == kLongestMatch) return make_code(285);
  std::uint32_t symbol = 0;
  const Bits extra = split_range(static_cast<std::uint32_t>(length - 3), 4, &symbol);
  return join(make_code(257 + symbol), extra);
}

Bits make_distance(std::size_t distance) {
  std::uint32_t symbol = 0;
  const Bits extra = split_range(static_cast<std::uint32_t>(distance - 1), 2, &symbol);
  return join(reverse(symbol, 5), extra);
}

struct Codes {
  std::array<Bits, 256> literals;
  std::array<Bits, kLongestMatch + 1> lengths;
  Codes() {
    for (std::uint32_t i = 0; i < 256; ++i) {
      literals[i] = make_code(i);
    }
    for (std::size_t i = 3; i <= kLongestMatch; ++i) {
      lengths[i] = make_length(i);
    }
  }
};

class Writer {
 public:
  Writer(std::uint8_t* out, std::size_t distance)
      : out_(out), distance_(distance), distance_code_(make_distance(distance)) {}

  // Noise, as it is.
  void store(const std::uint8_t* bytes, std::size_t count) {
    for (std::size_t first = 0; first < count; first += kStoredBlock) {
      const std::size_t size = std::min(kStoredBlock, count - first);
      put({0, 3});
      align();
      const std::uint16_t head[] = {static_cast<std::uint16_t>(size),
                                    static_cast<std::uint16_t>(~size)};
      std::memcpy(out_, head, sizeof head);
      std::memcpy(out_ + sizeof head, bytes + first, size);
      out_ += sizeof head + size;
    }
  }

  void begin_block() { put({2, 3}); }  // of the fixed code
  void end_block() { put(make_code(256)); }

  void compress(const std::uint8_t* at, const std::uint8_t* end) {
    const std::uint8_t* first = std::min(end, at + distance_);  // there is no row before
    put_literals(at, first);
    at = first;
    while (end - at >= 8) {
      const std::uint64_t difference = load(at) ^ load(at - distance_);
      if (difference == 0) {
        const std::size_t same = count_same(at, std::min(end, at + kLongestMatch));
        put(join(codes().lengths[same], distance_code_));
        at += same;
        continue;
      }
      // What follows the last byte that differs may begin a match.
      const std::uint8_t* next = at + 8 - std::countl_zero(difference) / 8;
      put_literals(at, next);
      at = next;
    }
    put_literals(at, end);
  }

  void compress_zeros(std::size_t count) {
    constexpr std::uint8_t kZero = 0;
    const auto put_zeros = [&](std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) {
        put_literals(&kZero, &kZero + 1);
      }
    };
    const std::size_t literals = std::min(count, distance_);
    put_zeros(literals);
    count -= literals;
    while (count >= kShortestMatch) {
      const std::size_t same = std::min(count, kLongestMatch);
      put(join(codes().lengths[same], distance_code_));
      count -= same;
    }
    put_zeros(count);
  }

  std::uint8_t* finish() {
    put({3, 3});  // a last, empty block
    put(make_code(256));
    align();
    return out_;
  }

 private:
  static const Codes& codes() {
    static const Codes codes;
    return codes;
  }

  static std::uint64_t load(const std::uint8_t* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    return word;
  }

  // Bytes that repeat those a row before.
  std::size_t count_same(const std::uint8_t* at, const std::uint8_t* end) const {
    const std::uint8_t* from = at;
    while (at + 8 <= end) {
      const std::uint64_t difference = load(at) ^ load(at - distance_);
      if (difference != 0) {
        return static_cast<std::size_t>(at - from + std::countr_zero(difference) / 8);
      }
      at += 8;
    }
    while (at < end && *at == *(at - distance_)) {
      ++at;
    }
    return static_cast<std::size_t>(at - from);
  }

  // Three take 27 bits at most.
  void put_literals(const std::uint8_t* at, const std::uint8_t* end) {
    const auto& literals = codes().literals;
    for (; end - at >= 3; at += 3) {
      append(literals[at[0]]);
      append(literals[at[1]]);
      append(literals[at[2]]);
      hand_out();
    }
    for (; at < end; ++at) {
      put(literals[*at]);
    }
  }

  // At most 32 bits.
  void put(const Bits& bits) {
    append(bits);
    hand_out();
  }

  void append(const Bits& bits) {
    waiting_ |= static_cast<std::uint64_t>(bits.value) << num_waiting_;
    num_waiting_ += bits.count;
  }

  void hand_out() {
    if (num_waiting_ < 32) return;
    std::memcpy(out_, &waiting_, 4);
    out_ += 4;
    waiting_ >>= 32;
    num_waiting_ -= 32;
  }

  // Up to the end of a byte.
  void align() {
    std::memcpy(out_, &waiting_, 8);
    out_ += (num_waiting_ + 7) / 8;
    waiting_ = 0;
    num_waiting_ = 0;
  }

  std::uint8_t* out_;
  std::size_t distance_;
  Bits distance_code_;
  std::uint64_t waiting_ = 0;  // bits, fewer than 32 between calls
  int num_waiting_ = 0;
};

// Do few bytes begin a repetition of the row before that is long enough for a match?
bool is_noise(const std::uint8_t* bytes, std::size_t count, std::size_t row) {
  if (count < row + kSamples + kShortestMatch) return false;
  const std::size_t range = count - row - kShortestMatch;
  std::size_t repeats = 0;
  for (std::size_t k = 0; k < kSamples; ++k) {
    const std::uint8_t* at = bytes + row + k * range / kSamples;
    repeats += std::memcmp(at, at - row, kShortestMatch) == 0 ? 1 : 0;
  }
  return repeats < kFewRepeats;
}

// zlib's checksum: the sum of all bytes, and that of the sums so far. Over a block of n bytes the
// latter grows by n times the sum before and Σ (n − i) bytes[i], which a processor adds many at a
// time; zlib's own loop is three times slower.
class Adler32 {
 public:
  void add(std::span<const std::uint8_t> bytes) {
    constexpr std::uint32_t kBlock = 2048;  // its sums fit into 32 bits
    while (!bytes.empty()) {
      const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(kBlock, bytes.size()));
      std::uint32_t plain = 0, weighted = 0;
#pragma omp simd reduction(+ : plain, weighted)
      for (std::uint32_t i = 0; i < n; ++i) {
        plain += bytes[i];
        weighted += (n - i) * bytes[i];
      }
      sums_ = (sums_ + n * sum_ + weighted) % kModulus;
      sum_ = (sum_ + plain) % kModulus;
      bytes = bytes.subspan(n);
    }
  }
  void add_zeros(std::uint64_t n) {
    sums_ = static_cast<std::uint32_t>((sums_ + n % kModulus * sum_) % kModulus);
  }
  std::uint32_t value() const { return sums_ << 16 | sum_; }

 private:
  static constexpr std::uint32_t kModulus = 65521;
  std::uint32_t sum_ = 1, sums_ = 0;
};

// What is made smaller and larger again is filled with zeros each time.
void grow(std::vector<std::uint8_t>* bytes, std::size_t size) {
  if (bytes->size() < size) bytes->resize(size);
}

}  // namespace

// First bytes of all numbers, then second bytes, and so on: a plane each.
template <typename T>
void ChunkPacker::shuffle(std::span<const double> rows) {
  grow(&shuffled_, rows.size() * sizeof(T));
  constexpr std::size_t kBlock = 512;
  std::array<T, kBlock> numbers;
  for (std::size_t first = 0; first < rows.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, rows.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = static_cast<T>(rows[first + i]);
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
    for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
      std::uint8_t* out = shuffled_.data() + plane * rows.size() + first;
      for (std::size_t i = 0; i < count; ++i) {
        out[i] = bytes[i * sizeof(T) + plane];
      }
    }
  }
}

std::span<const std::uint8_t> ChunkPacker::pack(std::span<const double> rows, int columns,
                                                std::size_t size, Series::Type type) {
  if (type == Series::kDouble) shuffle<double>(rows);
  if (type == Series::kFloat) shuffle<float>(rows);
  if (type == Series::kInteger) shuffle<std::int32_t>(rows);
  const std::size_t row = static_cast<std::size_t>(columns) <= kFurthest ? columns : 1;
  const std::size_t planes = type == Series::kDouble ? 8 : 4, zeros = size - rows.size();
  // A literal takes nine bits at most; heads of blocks and what put() writes ahead.
  const std::size_t bytes = planes * size;
  grow(&packed_, bytes + bytes / 8 + 16 * planes + 5 * (bytes / kStoredBlock) + 64);
  packed_[0] = 0x78, packed_[1] = 0x01;  // head of zlib's format (RFC 1950)
  Writer writer(packed_.data() + 2, row);
  Adler32 checksum;
  for (std::size_t i = 0; i < planes; ++i) {
    const auto plane = std::span(shuffled_).subspan(i * rows.size(), rows.size());
    const bool noise = is_noise(plane.data(), plane.size(), row);
    if (noise) writer.store(plane.data(), plane.size());
    if (!noise || zeros > 0) {
      writer.begin_block();
      if (!noise) writer.compress(plane.data(), plane.data() + plane.size());
      writer.compress_zeros(zeros);
      writer.end_block();
    }
    checksum.add(plane);
    checksum.add_zeros(zeros);
  }
  std::uint8_t* end = writer.finish();
  for (int shift = 24; shift >= 0; shift -= 8) {
    *end++ = static_cast<std::uint8_t>(checksum.value() >> shift & 0xff);
  }
  *end = 0;
  return {packed_.data(), end};
}

}  // namespace cenic::detail
