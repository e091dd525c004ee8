"""TypeScript and JavaScript: definitions, imports and uses, from one flat tree."""
