"""Any JSON value, and facets and hints that often agree, for properties to be tried on."""

import json

from hypothesis import strategies as st

from meridia.retrieval.rerank.facets import Facets, Hints

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
) | st.sampled_from(["[", '{"a": 1', "null", '"x"', "1e999", "[[[[[[1]]]]]]", "a, b", "\ud800"])
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "slug", "models", "name", "tags", "document", "x"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)
NAMES = ["web", "ios", "trap", "skeet", "owner", "boat", "mx8", "ht"]
names = st.lists(st.sampled_from(NAMES), unique=True, max_size=8).map(tuple)
facets_drawn = st.builds(Facets, names, names, names, names, names, names, names, names)
topics = st.lists(
    st.builds(
        "{}{}".format,
        st.sampled_from(["", "platform_", "discipline_", "audience_"]),
        st.sampled_from(NAMES),
    ),
    unique=True,
    max_size=6,
).map(tuple)
hints_drawn = st.builds(
    Hints, st.none() | st.sampled_from(NAMES), topics, names, names, names, names, names, names
)
