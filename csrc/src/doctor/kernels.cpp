#include "doctor/kernels.hpp"

namespace graphdedup::doctor {
namespace {

// The oldest PTX that knows clusters (CUDA 11.8); without them the oldest target that current drivers compile.
constexpr std::string_view header_with_clusters = ".version 7.8\n.target sm_90\n.address_size 64\n";
constexpr std::string_view header_without_clusters = ".version 7.0\n.target sm_50\n.address_size 64\n";

constexpr std::string_view parameters = R"((
    .param .u64 out,
    .param .u64 a,
    .param .u64 b
)
)";

constexpr std::string_view first_thread_only = R"({
    .reg .pred %p;
    .reg .b32 %r<3>;
    .reg .b64 %w, %out, %value;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    or.b32 %r1, %r1, %r2;
    mov.u32 %r2, %tid.z;
    or.b32 %r1, %r1, %r2;
    mov.u32 %r2, %ctaid.x;
    or.b32 %r1, %r1, %r2;
    mov.u32 %r2, %ctaid.y;
    or.b32 %r1, %r1, %r2;
    mov.u32 %r2, %ctaid.z;
    or.b32 %r1, %r1, %r2;
    setp.ne.u32 %p, %r1, 0;
    @%p bra done;
    ld.param.u64 %out, [out];
    cvta.to.global.u64 %out, %out;
)";

constexpr std::string_view other_kernels = R"(
.visible .entry gd_count(
    .param .u64 value
)
{
    .reg .b64 %address, %v;
    ld.param.u64 %address, [value];
    cvta.to.global.u64 %address, %address;
    ld.global.u64 %v, [%address];
    add.u64 %v, %v, 1;
    st.global.u64 [%address], %v;
    ret;
}

.visible .entry gd_spin(
    .param .u64 out,
    .param .u64 ns
)
{
    .reg .pred %p;
    .reg .b64 %start, %now, %wanted, %address;
    ld.param.u64 %wanted, [ns];
    mov.u64 %start, %globaltimer;
again:
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %start;
    setp.lt.u64 %p, %now, %wanted;
    @%p bra again;
    ld.param.u64 %address, [out];
    cvta.to.global.u64 %address, %address;
    st.global.u64 [%address], %now;
    ret;
}
)";

// Writes the body of one report kernel, a store a word.
class report_body {
  public:
    explicit report_body(std::string& text) : text_(text) {}

    void store_constant(std::uint64_t value) { store("mov.b64 %value, " + std::to_string(value) + ";"); }
    void store_register(std::string_view special) {
        store("mov.u32 %r1, " + std::string(special) + ";\n    cvt.u64.u32 %value, %r1;");
    }
    void store_parameter(std::string_view name) { store("ld.param.u64 %value, [" + std::string(name) + "];"); }

  private:
    void store(const std::string& load) {
        text_ += "    " + load + "\n    st.global.u64 [%out+" + std::to_string(offset_bytes_) + "], %value;\n";
        offset_bytes_ += sizeof(std::uint64_t);
    }

    std::string& text_;
    std::size_t offset_bytes_ = 0;
};

void append_report_kernel(std::string& text, const report_kernel& kernel, bool clusters) {
    text += "\n.visible .entry " + std::string(kernel.name) + std::string(parameters);
    const cluster_shape& shape = kernel.static_cluster;
    if (clusters && shape.x != 0) {
        text += ".explicitcluster\n.reqnctapercluster " + std::to_string(shape.x) + ", " + std::to_string(shape.y) + ", " +
                std::to_string(shape.z) + "\n";
    }
    text += first_thread_only;
    report_body body(text);
    body.store_constant(tag_of(kernel.name));
    for (const char* special : {"%nctaid.x", "%nctaid.y", "%nctaid.z", "%ntid.x", "%ntid.y", "%ntid.z"})
        body.store_register(special);
    for (const char* special : {"%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z"}) {
        if (clusters) {
            body.store_register(special);
        } else {
            body.store_constant(1);
        }
    }
    body.store_register("%dynamic_smem_size");
    body.store_parameter("a");
    body.store_parameter("b");
    for (int i = 0; i < 3; ++i) body.store_constant(0);
    text += "done:\n    ret;\n}\n";
}

}  // namespace

std::string module_ptx(std::span<const report_kernel> kernels, bool clusters) {
    std::string text(clusters ? header_with_clusters : header_without_clusters);
    for (const report_kernel& kernel : kernels) append_report_kernel(text, kernel, clusters);
    text += other_kernels;
    return text;
}

}  // namespace graphdedup::doctor
