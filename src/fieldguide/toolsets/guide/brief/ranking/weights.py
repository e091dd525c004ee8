"""What each feature counts: learnt by `training.brief_learn` from the tasks of public repositories."""

FIRST: dict[str, float] = {
    "": -5.0560,
    "text": 0.4376,
    "next_text": 1.0950,
    "words": 1.8419,
    "subject_likeness": 0.4562,
    "path": 1.0283,
    "named": 0.7126,
    "is_document": -1.0064,
    "is_record": -4.1516,
    "is_test": -0.0594,
    "is_beside": -0.2753,
    "size": -0.1097,
    "recent": 1.1834,
    "often": 0.2932,
    "text_rank": 0.3332,
    "words_rank": 0.2277,
    "likeness_rank": 0.1966,
}
"""Of a file, before anything is known of what changes together."""

FILE: dict[str, float] = {
    "": -3.4593,
    "text": 0.5095,
    "next_text": 0.8461,
    "words": 1.6740,
    "subject_likeness": 0.3729,
    "path": 0.8979,
    "named": 0.6653,
    "is_document": -0.8912,
    "is_record": -3.9145,
    "is_test": -0.1166,
    "is_beside": -0.1998,
    "size": -0.0723,
    "recent": 1.0412,
    "often": 0.1509,
    "text_rank": 0.3565,
    "words_rank": 0.2104,
    "likeness_rank": 0.1776,
    "together": 0.2499,
}
"""Of a file."""

CHUNK: dict[str, float] = {
    "": -4.7574,
    "file": 0.4141,
    "chunks": -0.0017,
    "is_document": -1.4974,
    "is_test": -0.4038,
    "text": -0.3782,
    "words": 1.6001,
    "likeness": 1.0030,
    "named": 0.8227,
    "said": -0.3535,
    "is_first": 0.3963,
    "is_first_code": 0.2382,
    "lines": 0.3239,
    "share": -0.0836,
    "rank": 0.4317,
    "beside": 1.1094,
}
"""Of a chunk of a file."""

LINE: dict[str, float] = {
    "": -1.2444,
    "chunk": 0.9107,
    "lines": -0.6198,
    "is_document": -0.5124,
    "is_test": -0.3177,
    "is_import": 0.4261,
    "is_comment": -1.0311,
    "is_blank": -0.7302,
    "is_mark": -0.2738,
    "length": 0.6479,
    "said": 1.4013,
    "said_near": -1.0310,
    "said_around": -2.4940,
    "most_said": 0.6674,
    "name": 0.1384,
    "name_near": 0.9348,
    "is_first": 0.0732,
    "is_early": -0.1232,
    "is_last": -0.0982,
    "place": -0.0669,
    "depth": 0.2145,
}
"""Of a line of a chunk."""
