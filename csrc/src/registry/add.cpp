// Registration.
#include "doctor/exec_memory.hpp"
#include "doctor/gate.hpp"
#include "driver/process.hpp"
#include "log.hpp"
#include "registry/bind.hpp"
#include "registry/clock.hpp"
#include "registry/pool.hpp"
#include "registry/state.hpp"
#include "registry/trim.hpp"
#include "signature/private_causes.hpp"
#include "snapshot/walk.hpp"

#include <algorithm>

namespace graphdedup {
namespace {

using driver_layer::call_site;

constexpr const char* operation = "Registry.register";
// Groups of one signature that a newcomer is offered. More of them would mean that the driver refuses most members anyway.
constexpr std::size_t most_attempts = 4;

std::size_t count_nodes(const snapshot::graph& g) {
    std::size_t count = g.nodes.size();
    for (const snapshot::graph& child : g.children) count += count_nodes(child);
    return count;
}

bool names_other_context(const snapshot::graph& g, CUcontext expected) {
    const auto own = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(expected));
    for (const std::uint64_t context : g.contexts) {
        if (context != own) return true;
    }
    for (const snapshot::graph& child : g.children) {
        if (names_other_context(child, expected)) return true;
    }
    return false;
}

snapshot::graph walk_source(registry::impl& r, CUgraph source, const call_site& site) {
    try {
        return snapshot::walk(r.api, source, r.device, snapshot::walk_detail::signature, site, r.walks);
    } catch (const driver_error& e) {
        const bool unknown = e.status() == CUDA_ERROR_INVALID_VALUE || e.status() == CUDA_ERROR_INVALID_HANDLE;
        if (!unknown || e.call() != "cuGraphGetNodes") throw;
        throw invalid_graph(operation, e.object(),
                            "the driver does not know this handle (" + e.status_name() + "): was it destroyed?");
    }
}

struct placement {
    std::shared_ptr<group_state> group;
    bool is_new = false;
};

class registration {
  public:
    registration(registry::impl& r, CUgraph source, add_options options)
        : r_(r),
          site_{operation, "graph", source},
          options_(std::move(options)),
          member_(std::make_shared<member_state>()) {
        member_->source = source;
    }

    // Wants the registry's mutex held. On a throw nothing has changed.
    std::shared_ptr<member_state> run() {
        if (r_.sources.contains(member_->source)) {
            throw invalid_graph(operation, driver_layer::describe("graph", member_->source), "it is registered here already");
        }
        bind_context(r_, site_);
        const driver_layer::scoped_context context(r_.api, r_.context);
        try {
            set_price();
            signature::signature signed_graph = sign();
            fill_member();
            r_.members.emplace(member_->id, member_);
            r_.sources.insert(member_->source);
            commit(place(signed_graph), signed_graph);
            r_.signature_bytes = std::move(signed_graph.bytes);
        } catch (...) {
            r_.members.erase(member_->id);
            r_.sources.erase(member_->source);
            if (r_.members.empty()) unbind_context(r_);
            throw;
        }
        return member_;
    }

    [[nodiscard]] const std::string& message() const noexcept { return message_; }

  private:
    // What an executable costs is measured only where it is asked for.
    void set_price() const {
        if (!r_.budget->limited() || r_.budget->bytes_per_node() != 0) return;
        r_.budget->set_bytes_per_node(doctor::exec_bytes_per_node(r_.api, r_.device, site_));
    }

    signature::signature sign() {
        snapshot::graph walked;
        signature::signature s = walk_and_sign(walked);
        // Whether the device honours what the driver hides is asked only where something hangs on it.
        if (!s.private_reason.empty() && !doctor::honours_preferred_cluster(r_.api, r_.device, site_)) {
            s.private_reason = signature::private_reason(walked, {.honours_preferred_cluster = false});
        }
        instantiated_once_ = !s.private_reason.empty() && signature::is_instantiated_once(walked);
        if (r_.forced_signature) s = {*r_.forced_signature, {}, {}};
        r_.walks.buffers = std::move(walked);
        return s;
    }

    signature::signature walk_and_sign(snapshot::graph& walked) {
        const stopwatch watch(r_.totals.sign_ns);
        walked = walk_source(r_, member_->source, site_);
        if (names_other_context(walked, r_.context)) {
            throw wrong_device(operation, driver_layer::describe("graph", member_->source),
                               "a kernel of it belongs to another device or context than the registry");
        }
        member_->node_count = count_nodes(walked);
        return signature::sign(walked, r_.options.may_vary, {.honours_preferred_cluster = true},
                               std::exchange(r_.signature_bytes, {}));
    }

    void fill_member() {
        member_->id = r_.next_member;
        member_->name = options_.name.empty() ? "graph " + std::to_string(member_->id) : std::move(options_.name);
        member_->owner = r_.weak_from_this();
        member_->keep_alive = std::move(options_.keep_alive);
        if (options_.prologue) {
            member_->prologue = std::make_shared<const std::function<void(stream_handle)>>(std::move(options_.prologue));
            member_->has_prologue = true;
        }
    }

    [[nodiscard]] placement place(signature::signature& s) {
        if (s.private_reason.empty() && has_candidates(s)) {
            s.private_reason = doctor::reason_not_to_share(r_.api, r_.device, site_);
            if (s.private_reason.empty()) {
                if (auto found = join(s)) return {std::move(found), false};
            }
        }
        if (!s.private_reason.empty()) message_ = member_->name + " shares with no other graph: " + s.private_reason;
        return {make_group(s), true};
    }

    [[nodiscard]] bool has_candidates(const signature::signature& s) const {
        const auto [first, last] = r_.signatures.equal_range(s.hash);
        return std::any_of(first, last, [&](const auto& entry) { return entry.second.bytes == s.bytes; });
    }

    // A group of this signature whose live executable takes the newcomer; null if there is no such group.
    std::shared_ptr<group_state> join(const signature::signature& s) {
        std::size_t attempts = 0;
        const auto [first, last] = r_.signatures.equal_range(s.hash);
        for (auto entry = first; entry != last; ++entry) {
            if (entry->second.bytes != s.bytes) continue;
            for (const auto& g : entry->second.groups) {
                if (attempts++ == most_attempts) return nullptr;
                if (accepts(*g)) return g;
            }
        }
        return nullptr;
    }

    // The driver's word on sharing, tried on the live executable. Where there is none yet (lazy), it is tried at replay.
    bool accepts(group_state& g) {
        std::unique_lock lock(g.mutex);
        executable* live = nullptr;
        g.settled.wait(lock, [&] { return (live = pool::victim(g)) != nullptr || pool::shared_count(g) == 0; });
        if (live != nullptr) {
            const exec::update_outcome outcome = pool::update(g, *live, *member_);
            if (!outcome.accepted()) {
                message_ = member_->name + " has the signature of group " + std::to_string(g.index) +
                           ", but the driver refused the update: " + exec::describe(r_.api, outcome);
                return false;
            }
        }
        ++g.member_count;
        return true;
    }

    std::shared_ptr<group_state> make_group(const signature::signature& s) {
        auto g = std::make_shared<group_state>(r_.api, r_.context, r_.options, r_.budget);
        g->index = r_.next_group;
        g->private_reason = s.private_reason;
        g->is_instantiated_once = instantiated_once_;
        g->member_count = 1;
        if (r_.options.lazy) return g;
        make_room();
        try {
            pool::instantiate(*g, *member_, site_);
        } catch (const out_of_memory&) {
            if (trim_locked(r_) == 0) throw;
            pool::instantiate(*g, *member_, site_);
        }
        return g;
    }

    // What other groups have beyond their first executable gives way to the first one of a new group.
    void make_room() const {
        if (r_.budget->try_take(member_->node_count)) {
            r_.budget->give(member_->node_count);  // the executable takes it
        } else {
            trim_extra_locked(r_);
        }
    }

    void commit(const placement& placed, const signature::signature& s) {
        member_->group = placed.group;
        if (placed.is_new) add_group(placed.group, s);
        ++r_.next_member;
    }

    void add_group(const std::shared_ptr<group_state>& added, const signature::signature& s) {
        r_.groups.push_back(added);
        ++r_.next_group;
        if (!s.private_reason.empty()) return;
        const auto [first, last] = r_.signatures.equal_range(s.hash);
        for (auto entry = first; entry != last; ++entry) {
            if (entry->second.bytes == s.bytes) return entry->second.groups.push_back(added);
        }
        r_.signatures.emplace(s.hash, signature_entry{s.bytes, {added}});
    }

    registry::impl& r_;
    call_site site_;
    add_options options_;
    std::shared_ptr<member_state> member_;
    bool instantiated_once_ = false;
    std::string message_;
};

void require_open(const registry::impl& r, CUgraph source) {
    const std::string object = driver_layer::describe("graph", source);
    if (source == nullptr) throw invalid_graph(operation, object, "the handle is null");
    if (r.is_closed) throw registry_closed(operation, object, "the registry is closed");
    if (r.is_sealed) throw registry_sealed(operation, object, "the registry is sealed");
}

}  // namespace

shared_graph registry::add(graph_handle graph, add_options options) {
    if (!driver_layer::calls_allowed()) {  // before the lock: see require_calls_allowed
        throw registry_closed(operation, driver_layer::describe("graph", graph), driver_layer::why_not_allowed);
    }
    registration work(*impl_, graph, std::move(options));  // before the lock, so that what it holds goes after it
    std::shared_ptr<member_state> added;
    {
        const std::scoped_lock lock(impl_->mutex);
        require_open(*impl_, graph);
        const stopwatch watch(impl_->totals.register_ns);
        added = work.run();
    }
    if (!work.message().empty()) write_log(log_level::info, work.message());
    return shared_graph(std::move(added));
}

}  // namespace graphdedup
