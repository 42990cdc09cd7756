// What nodes do to memory.
#include "in_flight.hpp"
#include "memory.hpp"
#include "world.hpp"

#include <array>
#include <cstring>

namespace graphdedup_sim {
namespace {

// False, and the device lost if addresses are checked, unless all of the range is allocated.
bool may_touch(CUdeviceptr address, std::size_t size_bytes, const char* what) {
    if (is_allocated(address, size_bytes)) return true;
    if (!here().address_checks) return false;
    note_misuse(std::string(what) + " touches device memory that is not allocated");
    here().faults.sticky_error = CUDA_ERROR_ILLEGAL_ADDRESS;
    return false;
}

template <typename type>
type argument(const kernel_params& kernel, std::size_t offset_bytes) {
    type value{};
    std::memcpy(&value, kernel.arguments.data() + offset_bytes, sizeof value);
    return value;
}

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

std::uint64_t tag_of(const std::string& name) {
    std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

void report(const kernel_params& kernel, const std::string& name, const dimensions& cluster) {
    const auto out = argument<CUdeviceptr>(kernel, 0);
    std::array<std::uint64_t, 16> words{};
    if (!may_touch(out, sizeof words, "a report kernel")) return;
    words[0] = tag_of(name);
    for (std::size_t i = 0; i < 3; ++i) {
        words[1 + i] = kernel.grid[i];
        words[4 + i] = kernel.block[i];
        words[7 + i] = cluster[i] != 0 ? cluster[i] : 1;
    }
    words[10] = kernel.shared_memory_bytes;
    words[11] = argument<std::uint64_t>(kernel, word_bytes);
    words[12] = argument<std::uint64_t>(kernel, 2 * word_bytes);
    std::memcpy(to_host(out), words.data(), sizeof words);
}

void count(const kernel_params& kernel) {
    const auto address = argument<CUdeviceptr>(kernel, 0);
    std::uint64_t value = 0;
    if (!may_touch(address, sizeof value, "a count kernel")) return;
    std::memcpy(&value, to_host(address), sizeof value);
    ++value;
    std::memcpy(to_host(address), &value, sizeof value);
}

// Says that it took as long as it was asked to, and takes no time.
void spin(const kernel_params& kernel) {
    const auto out = argument<CUdeviceptr>(kernel, 0);
    const auto ns = argument<std::uint64_t>(kernel, word_bytes);
    if (may_touch(out, sizeof ns, "a spin kernel")) std::memcpy(to_host(out), &ns, sizeof ns);
}

void axpb(const kernel_params& kernel) {
    const auto out = argument<CUdeviceptr>(kernel, 0);
    const auto in = argument<CUdeviceptr>(kernel, word_bytes);
    const auto size = static_cast<std::size_t>(argument<std::uint64_t>(kernel, 2 * word_bytes));
    const auto a = argument<float>(kernel, 3 * word_bytes);
    const auto b = argument<float>(kernel, 3 * word_bytes + sizeof(float));
    const std::size_t size_bytes = size * sizeof(float);
    if (size == 0 || !may_touch(out, size_bytes, "an axpb kernel") || !may_touch(in, size_bytes, "an axpb kernel")) return;
    const auto* from = static_cast<const float*>(to_host(in));
    auto* to = static_cast<float*>(to_host(out));
    for (std::size_t i = 0; i < size; ++i) to[i] = a * from[i] + b;
}

void run_kernel(const kernel_params& kernel, const std::string& name, const dimensions& cluster) {
    const auto has = [&](std::size_t size_bytes) { return kernel.arguments.size() >= size_bytes; };
    if (name.starts_with("gd_report") && has(3 * word_bytes)) report(kernel, name, cluster);
    if (name.starts_with("gd_count") && has(word_bytes)) count(kernel);
    if (name == "gd_spin" && has(2 * word_bytes)) spin(kernel);
    if (name == "gd_axpb" && has(4 * word_bytes)) axpb(kernel);
}

// One side of a copy. `base` null: not memory that can be reached here.
struct operand {
    std::byte* base = nullptr;
    std::size_t pitch_bytes = 0;
    std::size_t slice_bytes = 0;
};

struct operand_fields {
    CUmemorytype type;
    CUdeviceptr device;
    void* host;
    std::size_t pitch_bytes, height, x_bytes, y, z;
};

operand make_operand(const operand_fields& f, const CUDA_MEMCPY3D& copy) {
    operand made;
    made.pitch_bytes = f.pitch_bytes != 0 ? f.pitch_bytes : copy.WidthInBytes;
    made.slice_bytes = made.pitch_bytes * (f.height != 0 ? f.height : copy.Height);
    const std::size_t offset_bytes = f.z * made.slice_bytes + f.y * made.pitch_bytes + f.x_bytes;
    if (f.type == CU_MEMORYTYPE_ARRAY) return made;
    if (f.type == CU_MEMORYTYPE_HOST) {
        made.base = static_cast<std::byte*>(f.host) + offset_bytes;
        return made;
    }
    const CUdeviceptr first = f.device + offset_bytes;
    const std::size_t span_bytes = (copy.Depth - 1) * made.slice_bytes + (copy.Height - 1) * made.pitch_bytes + copy.WidthInBytes;
    const bool is_host = f.type == CU_MEMORYTYPE_UNIFIED && device_of_address(f.device) < 0;
    if (is_host || may_touch(first, span_bytes, "a copy")) made.base = static_cast<std::byte*>(to_host(first));
    return made;
}

void run_copy(const CUDA_MEMCPY3D& copy) {
    // The source is only read; one type for both sides is worth the cast.
    void* source_host = const_cast<void*>(copy.srcHost);
    const operand from = make_operand(
        {copy.srcMemoryType, copy.srcDevice, source_host, copy.srcPitch, copy.srcHeight, copy.srcXInBytes, copy.srcY, copy.srcZ},
        copy);
    const operand to = make_operand(
        {copy.dstMemoryType, copy.dstDevice, copy.dstHost, copy.dstPitch, copy.dstHeight, copy.dstXInBytes, copy.dstY, copy.dstZ},
        copy);
    if (from.base == nullptr || to.base == nullptr) return;
    for (std::size_t z = 0; z < copy.Depth; ++z) {
        for (std::size_t y = 0; y < copy.Height; ++y) {
            std::memmove(to.base + z * to.slice_bytes + y * to.pitch_bytes,
                         from.base + z * from.slice_bytes + y * from.pitch_bytes, copy.WidthInBytes);
        }
    }
}

void run_fill(const CUDA_MEMSET_NODE_PARAMS& fill) {
    const std::size_t pitch_bytes = fill.height > 1 ? fill.pitch : 0;
    const std::size_t row_bytes = fill.width * fill.elementSize;
    if (!may_touch(fill.dst, (fill.height - 1) * pitch_bytes + row_bytes, "a fill")) return;
    auto* base = static_cast<std::byte*>(to_host(fill.dst));
    for (std::size_t y = 0; y < fill.height; ++y) {
        for (std::size_t x = 0; x < fill.width; ++x) {
            // The low bytes of the value, as a little-endian element holds them.
            std::memcpy(base + y * pitch_bytes + x * fill.elementSize, &fill.value, fill.elementSize);
        }
    }
}

void record(CUevent event) {
    event_object* found = here().events.find(event);
    if (found != nullptr) found->recorded = true;
}

}  // namespace

void run_step(const node_params& params, const std::string& function_name, const dimensions& cluster) {
    if (const auto* kernel = std::get_if<kernel_params>(&params)) run_kernel(*kernel, function_name, cluster);
    if (const auto* copy = std::get_if<memcpy_params>(&params)) run_copy(copy->copy);
    if (const auto* fill = std::get_if<memset_params>(&params)) run_fill(fill->set);
    if (const auto* recorded = std::get_if<event_params>(&params)) record(recorded->event);
}

}  // namespace graphdedup_sim
