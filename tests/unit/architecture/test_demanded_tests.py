"""The tests and benchmarks that the specification demands, each by the name under which it is found."""

import ast
from pathlib import Path

import pytest

from tests.proves import proves

ROOT = Path(__file__).parents[3]
UNIT_TESTS = {
    "manager: registration, listing and sorting": (
        "tests/unit/test_registry.py",
        "test_tools_are_registered_found_and_listed_in_order",
    ),
    "manager: duplicate": (
        "tests/unit/test_registry.py",
        "test_a_second_tool_of_one_name_is_refused_and_the_first_stays",
    ),
    "manager: metrics": ("tests/unit/test_metrics.py", "test_rates_and_kinds_are_told_per_tool"),
    "executor: validation": ("tests/unit/test_executor.py", "test_a_tool_never_sees_arguments_that_do_not_fit"),
    "executor: timeout": (
        "tests/unit/test_executor.py",
        "test_a_tool_that_takes_too_long_is_told_to_stop_and_counted",
    ),
    "executor: error conversion": (
        "tests/interaction/test_dialects.py",
        "test_architecture_errors_are_json_rpc_errors_with_the_specified_codes",
    ),
    "executor: sanitising": (
        "tests/interaction/test_spine.py",
        "test_the_journal_tells_of_each_call_with_long_texts_cut",
    ),
    "validate-against-pattern: violations": (
        "tests/interaction/test_architecture_validate.py",
        "test_the_official_client_is_told_what_is_wrong_and_where",
    ),
    "validate-against-pattern: compliant": (
        "tests/interaction/test_architecture_validate.py",
        "test_code_that_follows_the_pattern_has_no_violation_though_it_speaks_of_one",
    ),
    "validate-against-pattern: missing pattern": (
        "tests/interaction/test_architecture_validate.py",
        "test_an_unknown_pattern_is_an_error_with_the_names_that_there_are",
    ),
    "validate-against-pattern: invalid code": (
        "tests/interaction/test_architecture_validate.py",
        "test_code_that_cannot_be_parsed_is_answered_all_the_same",
    ),
    "search-architecture: ranking": (
        "tests/interaction/test_architecture_search.py",
        "test_results_come_in_descending_relevance",
    ),
    "search-architecture: filter": (
        "tests/interaction/test_architecture_search.py",
        "test_a_kind_leaves_out_all_others",
    ),
    "search-architecture: limit": (
        "tests/interaction/test_architecture_search.py",
        "test_all_that_match_are_counted_and_only_the_best_are_given",
    ),
    "search-architecture: nothing found": (
        "tests/interaction/test_architecture_search.py",
        "test_where_nothing_fits_the_nearest_three_are_marked",
    ),
    "check-adr-alignment: conflicts": (
        "tests/interaction/test_architecture_alignment.py",
        "test_a_proposal_that_opposes_a_decision_conflicts_with_it",
    ),
    "check-adr-alignment: supports": (
        "tests/interaction/test_architecture_alignment.py",
        "test_a_proposal_that_fits_a_decision_supports_it",
    ),
    "check-adr-alignment: related": (
        "tests/interaction/test_architecture_alignment.py",
        "test_a_proposal_that_only_touches_a_decision_is_related",
    ),
    "check-adr-alignment: no decisions": (
        "tests/interaction/test_architecture_alignment.py",
        "test_a_project_without_decisions_says_so",
    ),
    "handlers: list format": (
        "tests/interaction/test_descriptors.py",
        "test_every_descriptor_is_the_specified_one_to_the_byte",
    ),
    "handlers: valid call": (
        "tests/interaction/test_descriptors.py",
        "test_the_official_client_can_call_each_tool_that_only_reads",
    ),
    "handlers: invalid call": (
        "tests/interaction/test_architecture_limits.py",
        "test_arguments_that_do_not_fit_are_refused_in_the_specified_words",
    ),
    "handlers: errors": (
        "tests/interaction/test_architecture_limits.py",
        "test_an_unknown_tool_is_told_with_those_that_there_are",
    ),
}
INTEGRATION_TESTS = {
    "list, then call": (
        "tests/interaction/test_descriptors.py",
        "test_the_official_client_can_call_each_tool_that_only_reads",
    ),
    "real cache data": (
        "tests/unit/architecture/test_document_cache.py",
        "test_resources_prompts_completions_and_tools_read_each_document_once",
    ),
    "prompts and tools": (
        "tests/interaction/test_architecture_workflow.py",
        "test_what_the_latest_prompt_was_given_may_be_left_out",
    ),
    "error propagation": (
        "tests/interaction/test_architecture_limits.py",
        "test_a_failure_is_told_without_its_cause_and_the_tools_that_need_no_database_go_on",
    ),
}
BENCHMARKS = {
    "execution overhead": ("benchmarks/calls.py", "measure_sequential"),
    "concurrent invocations": ("benchmarks/calls.py", "measure_concurrent"),
    "validation performance": ("benchmarks/patterns.py", "time_language"),
}


def functions(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@proves("S0-80")
@pytest.mark.parametrize(("path", "name"), UNIT_TESTS.values(), ids=list(UNIT_TESTS))
def test_each_part_that_the_specification_wants_tested_is(path, name):
    assert name in functions(path)


@proves("S0-81")
@pytest.mark.parametrize(("path", "name"), INTEGRATION_TESTS.values(), ids=list(INTEGRATION_TESTS))
def test_each_story_that_the_specification_wants_told_is(path, name):
    assert name in functions(path)


@proves("S0-81")
@pytest.mark.parametrize(("path", "name"), BENCHMARKS.values(), ids=list(BENCHMARKS))
def test_each_thing_that_the_specification_wants_measured_is(path, name):
    assert name in functions(path)
