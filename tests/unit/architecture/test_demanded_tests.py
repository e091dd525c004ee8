"""The tests and benchmarks that the specification demands, each by the name under which it is found."""

import ast
from pathlib import Path

from tests.proves import proves

ROOT = Path(__file__).parents[3]
UNIT_TESTS = {
    "tests/unit/test_registry.py": [
        "test_tools_are_registered_found_and_listed_in_order",
        "test_a_second_tool_of_one_name_is_refused_and_the_first_stays",
    ],
    "tests/unit/test_metrics.py": [
        "test_rates_and_kinds_are_told_per_tool",
    ],
    "tests/unit/test_executor.py": [
        "test_a_tool_never_sees_arguments_that_do_not_fit",
        "test_a_tool_that_takes_too_long_is_told_to_stop_and_counted",
    ],
    "tests/interaction/test_dialects.py": [
        "test_architecture_errors_are_json_rpc_errors_with_the_specified_codes",
    ],
    "tests/interaction/test_spine.py": [
        "test_the_journal_tells_of_each_call_with_long_texts_cut",
    ],
    "tests/interaction/test_architecture_validate.py": [
        "test_the_official_client_is_told_what_is_wrong_and_where",
        "test_code_that_follows_the_pattern_has_no_violation_though_it_speaks_of_one",
        "test_an_unknown_pattern_is_an_error_with_the_names_that_there_are",
        "test_code_that_cannot_be_parsed_is_answered_all_the_same",
    ],
    "tests/interaction/test_architecture_search.py": [
        "test_results_come_in_descending_relevance",
        "test_a_kind_leaves_out_all_others",
        "test_all_that_match_are_counted_and_only_the_best_are_given",
        "test_where_nothing_fits_the_nearest_three_are_marked",
    ],
    "tests/interaction/test_architecture_alignment.py": [
        "test_a_proposal_that_opposes_a_decision_conflicts_with_it",
        "test_a_proposal_that_fits_a_decision_supports_it",
        "test_a_proposal_that_only_touches_a_decision_is_related",
        "test_a_project_without_decisions_says_so",
    ],
    "tests/interaction/test_descriptors.py": [
        "test_every_descriptor_is_the_specified_one_to_the_byte",
        "test_the_official_client_can_call_each_tool_that_only_reads",
    ],
    "tests/interaction/test_architecture_limits.py": [
        "test_arguments_that_do_not_fit_are_refused_in_the_specified_words",
        "test_an_unknown_tool_is_told_with_those_that_there_are",
    ],
}
INTEGRATION_TESTS_AND_BENCHMARKS = {
    "tests/interaction/test_descriptors.py": [
        "test_the_official_client_can_call_each_tool_that_only_reads",
    ],
    "tests/unit/architecture/test_document_cache.py": [
        "test_resources_prompts_completions_and_tools_read_each_document_once",
    ],
    "tests/interaction/test_architecture_workflow.py": [
        "test_what_the_latest_prompt_was_given_may_be_left_out",
    ],
    "tests/interaction/test_architecture_limits.py": [
        "test_a_failure_is_told_without_its_cause_and_the_tools_that_need_no_database_go_on",
    ],
    "benchmarks/calls.py": [
        "measure_sequential",
        "measure_concurrent",
    ],
    "benchmarks/patterns.py": [
        "time_language",
    ],
}


def missing(demanded: dict[str, list[str]]) -> list[str]:
    """What is not found in the file that is said to have it."""
    lost = []
    for path, names in demanded.items():
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        lost += [f"{path}::{name}" for name in names if name not in found]
    return lost


@proves("S0-80")
def test_each_part_that_the_specification_wants_tested_is():
    assert missing(UNIT_TESTS) == []


@proves("S0-81")
def test_each_story_and_measurement_that_the_specification_wants_is_there():
    assert missing(INTEGRATION_TESTS_AND_BENCHMARKS) == []
