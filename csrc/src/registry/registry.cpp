#include <graphdedup/registry.hpp>

#include "driver/process.hpp"
#include "registry/state.hpp"

namespace graphdedup {
namespace {

constexpr const char* operation = "Registry";

void validate(const driver* d, const registry_options& options) {
    if (d == nullptr) throw invalid_argument(operation, "driver", "it is null");
    if (options.may_vary > vary::kernel) {
        throw invalid_argument(operation, "vary", "there is no level " + std::to_string(static_cast<int>(options.may_vary)));
    }
    if (options.execs_per_group == 0) throw invalid_argument(operation, "execs_per_group", "it must be at least 1, not 0");
    if (options.device < -1) {
        throw invalid_argument(operation, "device", "it must be an ordinal, or -1, not " + std::to_string(options.device));
    }
    const std::uint64_t known = instantiate_auto_free_on_launch | instantiate_use_node_priority;
    if ((options.instantiate_flags & ~known) != 0) {
        throw invalid_argument(
            operation, "instantiate_flags",
            "only AUTO_FREE_ON_LAUNCH (1) and USE_NODE_PRIORITY (8) are taken, not " + std::to_string(options.instantiate_flags));
    }
}

member_info info_of(const member_state& m) {
    const auto info = [&m](bool loaded) {
        return member_info{m.id, m.name, m.group->index, m.node_count, loaded, m.group->private_reason};
    };
    if (!driver_layer::calls_allowed()) return info(false);
    const std::scoped_lock lock(m.group->mutex);
    return info(m.executable != nullptr);
}

}  // namespace

shared_graph::shared_graph(std::shared_ptr<member> m) : member_(std::move(m)) {}

bool shared_graph::loaded() const {
    if (member_ == nullptr || !driver_layer::calls_allowed()) return false;
    const std::scoped_lock lock(member_->group->mutex);
    return member_->executable != nullptr;
}

member_info shared_graph::info() const { return member_ != nullptr ? info_of(*member_) : member_info{}; }
member_id shared_graph::id() const noexcept { return member_ != nullptr ? member_->id : 0; }

registry::registry(std::shared_ptr<const driver> d, const registry_options& options) {
    validate(d.get(), options);
    impl_ = std::make_shared<impl>(std::move(d), options);
}

registry::~registry() {
    try {
        close();
    } catch (...) {  // a destructor never throws; what could fail here is a lock or an allocation
    }
}

void registry::seal() {
    if (!driver_layer::calls_allowed()) return;
    const std::scoped_lock lock(impl_->mutex);
    impl_->is_sealed = true;
    impl_->forget_walks();
}

bool registry::sealed() const { return impl_->is_sealed; }
bool registry::closed() const { return impl_->is_closed; }

int registry::device() const {
    if (!driver_layer::calls_allowed()) return -1;
    const std::scoped_lock lock(impl_->mutex);
    return impl_->context != nullptr ? impl_->device : -1;
}

std::vector<member_info> registry::members() const {
    if (!driver_layer::calls_allowed()) return {};
    const std::scoped_lock lock(impl_->mutex);
    std::vector<member_info> infos;
    infos.reserve(impl_->members.size());
    for (const auto& [id, m] : impl_->members) infos.push_back(info_of(*m));
    return infos;
}

const registry_options& registry::options() const noexcept { return impl_->options; }

void force_signature(registry& r, std::optional<std::vector<std::byte>> bytes) {
    registry::impl& state = r.internal();
    const std::scoped_lock lock(state.mutex);
    state.forced_signature = std::move(bytes);
}

}  // namespace graphdedup
