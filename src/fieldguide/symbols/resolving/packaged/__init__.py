"""Java, Kotlin and C#: names lead through classes, what those inherit, imports, and packages or namespaces."""
