#include "memory.hpp"

#include "driver/check.hpp"

#include <cstring>

namespace graphdedup::conformance {
namespace {

constexpr std::size_t scratch_bytes = 64;

constexpr std::size_t size_bytes(memory m) { return slot_count(m) * slot_bytes + pattern_bytes + scratch_bytes; }

void* to_host(CUdeviceptr address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }
CUdeviceptr device_view(void* host) { return static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(host)); }

constexpr std::array all_memories{memory::device, memory::pool, memory::pinned, memory::pageable};

}  // namespace

const char* name_of(memory m) noexcept {
    constexpr std::array names{"device", "pool", "pinned", "pageable"};
    return names[static_cast<std::size_t>(m)];
}

image::image() {
    for (const memory m : all_memories) of(m).resize(slot_count(m) * slot_bytes);
}

std::string image::difference_from(const image& wanted) const {
    for (const memory m : all_memories) {
        const auto& mine = bytes_[static_cast<std::size_t>(m)];
        const auto& other = wanted.bytes_[static_cast<std::size_t>(m)];
        for (std::size_t i = 0; i < mine.size(); i += sizeof(std::uint64_t)) {
            std::uint64_t a = 0;
            std::uint64_t b = 0;
            std::memcpy(&a, mine.data() + i, sizeof a);
            std::memcpy(&b, other.data() + i, sizeof b);
            if (a == b) continue;
            return std::string(name_of(m)) + " slot " + std::to_string(i / slot_bytes) + ", word " +
                   std::to_string(i % slot_bytes / sizeof a) + ": " + std::to_string(a) + " instead of " + std::to_string(b);
        }
    }
    return {};
}

arena::arena(const driver_layer::api& driver, CUstream stream) : driver_(driver) {
    for (const memory m : all_memories) base_[static_cast<std::size_t>(m)] = allocate(m, stream);
    driver_layer::check(driver, driver.cuStreamSynchronize(stream), "cuStreamSynchronize", {"conformance", "stream", stream});
    for (const memory m : all_memories) write_pattern(m);
}

arena::~arena() {
    static_cast<void>(driver_.cuMemFree(base_[0]));
    static_cast<void>(driver_.cuMemFree(base_[1]));
    static_cast<void>(driver_.cuMemFreeHost(to_host(base_[2])));
}

CUdeviceptr arena::allocate(memory m, CUstream stream) {
    const driver_layer::call_site site{"conformance", "memory"};
    CUdeviceptr made = 0;
    void* host = nullptr;
    switch (m) {
        case memory::device: check(driver_, driver_.cuMemAlloc(&made, size_bytes(m)), "cuMemAlloc", site); return made;
        case memory::pool:
            check(driver_, driver_.cuMemAllocAsync(&made, size_bytes(m), stream), "cuMemAllocAsync", site);
            return made;
        case memory::pinned:
            check(driver_, driver_.cuMemAllocHost(&host, size_bytes(m)), "cuMemAllocHost", site);
            return device_view(host);
        default: pageable_.resize(size_bytes(m)); return device_view(pageable_.data());
    }
}

void arena::write_pattern(memory m) const {
    std::array<std::byte, pattern_bytes> pattern{};
    for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = pattern_at(m, i);
    const CUdeviceptr to = pattern_address(m, 0);
    if (is_host(m)) {
        std::memcpy(to_host(to), pattern.data(), pattern.size());
        return;
    }
    check(driver_, driver_.cuMemcpyHtoD(to, pattern.data(), pattern.size()), "cuMemcpyHtoD", {"conformance", "memory"});
}

void arena::clear() const {
    for (const memory m : all_memories) {
        const CUdeviceptr first = address({m, 0, 0});
        if (is_host(m)) {
            std::memset(to_host(first), 0, slot_count(m) * slot_bytes);
        } else {
            check(driver_, driver_.cuMemsetD8(first, 0, slot_count(m) * slot_bytes), "cuMemsetD8", {"conformance", "memory"});
        }
    }
    // A fill may return before it is done, and the stream of the cases does not wait for the default one.
    check(driver_, driver_.cuCtxSynchronize(), "cuCtxSynchronize", {"conformance", "context"});
}

image arena::read() const {
    image read;
    for (const memory m : all_memories) {
        const CUdeviceptr first = address({m, 0, 0});
        auto& into = read.of(m);
        if (is_host(m)) {
            std::memcpy(into.data(), to_host(first), into.size());
        } else {
            check(driver_, driver_.cuMemcpyDtoH(into.data(), first, into.size()), "cuMemcpyDtoH", {"conformance", "memory"});
        }
    }
    return read;
}

}  // namespace graphdedup::conformance
