"""Where collections come from: bundles, git and the web, each judged and held within its limits."""
