// Arguments by pointers (kernelParams) and packed (extra): an update takes either for either.
#include "cases.hpp"
#include "change.hpp"

namespace graphdedup::conformance {
namespace {

struct named_form {
    const char* name;
    argument_form form;
};

constexpr named_form forms[] = {{"kernelParams", argument_form::pointers}, {"extra", argument_form::packed}};

change change_of(argument_form from_form, argument_form to_form, const char* to_kernel) {
    kernel_node from = numbered_kernel(index_of(position::middle), 1000);
    kernel_node to = numbered_kernel(index_of(position::middle), 9000);
    from.form = from_form;
    to.form = to_form;
    to.report.kernel = to_kernel;
    return replacing(position::middle, from, to, true);
}

}  // namespace

void add_argument_form_cases(suite& all) {
    for (const named_form& from : forms) {
        for (const named_form& to : forms) {
            for (const char* kernel : {"gd_report_a", "gd_report_b"}) {
                const std::string name = std::string("arguments, ") + from.name + " to " + to.name +
                                         (kernel == std::string_view("gd_report_a") ? "" : " of another function");
                const change tried = change_of(from.form, to.form, kernel);
                for (const level l : {level::top, level::child}) {
                    all.add(name + ", update, " + name_of(l), updating("kernel fields, update", at_level(l, tried)));
                }
                change alone = tried;
                for (std::size_t i = 0; i < chain_length; ++i) {
                    if (i != index_of(position::middle)) alone.to.nodes[i] = alone.from.nodes[i];
                }
                all.add(name + ", set params", setting_params("kernel fields, set params", alone, index_of(position::middle)));
            }
        }
    }
}

}  // namespace graphdedup::conformance
