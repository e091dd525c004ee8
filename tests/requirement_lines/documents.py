"""The lines of the document collections specification."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "documents: surface": (
        ("S2-1", None,
         "There are eight tools: `documents_list_collections`, `documents_search`, `documents_get_document`, "
         "`documents_list_documents`, `documents_get_outline`, `documents_get_section`, `documents_search_batch`, "
         "`documents_find_related`."),
        ("S2-2", None,
         "The three old tools keep their interface: new return fields are additive, and there is no breaking change."),
        ("S2-3", None,
         "Every tool that takes a collection accepts a collection name or an alias, and an alias resolves to its "
         "collection ID."),
        ("S2-4", None,
         "In every answer `collection` shows the alias when one exists, else the ID, and `collectionId` holds the "
         "full ID only when an alias is used."),
        ("S2-5", None, "Not-found cases answer with a helpful plain-text message, not a failure."),
        ("S2-6", None,
         "The tables hold collections (name, version, description), documents (content) and chunks (content); ours are "
         "named search_source, search_document with search_text, and search_chunk."),
    ),
    "documents: documents_list_collections": (
        ("S2-7", None,
         "It returns a list whose items have `collection` (string), `collectionId?` (string), `documentCount` "
         "(number), `description?` (string) and `version?` (string)."),
        ("S2-8", None,
         "`description` and `version` come from the collection's manifest, and a field absent there is omitted."),
        ("S2-9", None, "`documentCount` equals the number of documents in the collection."),
    ),
    "documents: documents_list_documents": (
        ("S2-10", None,
         "The description is the golden text, ending `Supports pagination for large collections.`."),
        ("S2-11", None, "`collection` is a required string with description `Collection name or alias`."),
        ("S2-12", None, "`limit` is a number, default 100, with description `Maximum documents to return`."),
        ("S2-13", None, "`offset` is a number, default 0, with description `Offset for pagination`."),
        ("S2-14", None, "It returns `documents[{id,title,size}]`, `total`, `hasMore` and `collection` (alias or ID)."),
        ("S2-15", None, "`id` is the document ID, typically the file path."),
        ("S2-16", None, "`title` is the first `# ` heading, else a fallback."),
        ("S2-17", None, "`size` is the character count of the content."),
        ("S2-18", None, "`total` counts all documents of the collection, independent of limit and offset."),
        ("S2-19", None, "`hasMore` is true exactly when offset + returned < total."),
        ("S2-20", None, "Pages do not overlap and together hold every document once, in a stable order."),
    ),
    "documents: documents_get_outline": (
        ("S2-21", None, "The description is the golden text."),
        ("S2-22", None,
         "`collection` (`Collection name or alias`) and `document` (`Document ID`) are required; `maxDepth` is a "
         "number, default 3, with description `Maximum heading depth (1-6)`."),
        ("S2-23", None, "It returns `collection`, `document`, `title` and `outline[{level,text,line}]`."),
        ("S2-24", None, "`title` is the document title (# heading)."),
        ("S2-25", None,
         "Headings match `/^(#{1,6})\\s+(.+)$/gm`, where `level` is the number of `#` (1-6), `text` the heading text "
         "and `line` the line number in the document; ours are those of CommonMark at the top level, which adds setext "
         "headings and leaves out code and HTML."),
        ("S2-26", None,
         "Only headings with a level up to `maxDepth` are returned, so a default call shows levels 1-3."),
        ("S2-27", None, "The outline is in document order, parsed in one pass, O(n)."),
        ("S2-28", None,
         'An unknown document answers exactly `Document "<document>" not found in collection "<collection>".`, where '
         "`<collection>` is what the caller wrote."),
    ),
    "documents: documents_get_section": (
        ("S2-29", None, "The description is the golden text."),
        ("S2-30", None,
         "`collection`, `document` and `section` (`Section heading text to match`) are required; "
         "`includeSubsections` is a boolean, default true, with description `Include nested subsections`."),
        ("S2-31", None,
         "It returns `collection`, `document`, `section` (the matched heading), `level`, `content`, `startLine` and "
         "`endLine`."),
        ("S2-32", None,
         "Matching is a case-insensitive substring match on the heading text, and the first matching heading in the "
         "document wins."),
        ("S2-33", None,
         "With `includeSubsections:true` the section ends at the next heading of the matched level or above, or at "
         "the end of the document."),
        ("S2-34", None, "With `includeSubsections:false` the section ends at any next heading."),
        ("S2-35", None,
         "`content` starts with the heading line, and `startLine` and `endLine` delimit exactly the returned lines."),
        ("S2-36", None,
         'An unknown section answers exactly `Section "<section>" not found in document "<document>".`.'),
        ("S2-37", None, "Any heading level 1-6 can be fetched; `maxDepth` does not apply."),
    ),
    "documents: documents_search_batch": (
        ("S2-38", None, "The description is the golden text."),
        ("S2-39", None,
         "`queries` is an array of 1 to 10 with description `Array of search queries (max 10)`; an item has `query` "
         "(required string, `Search query`) and `collections?` (string[], `Limit to specific collections`)."),
        ("S2-40", None,
         "`limit` is a number, default 5, `Results per query`; `maxDistance` an optional number, `Maximum distance "
         "threshold per query`; `hybridSearch` a boolean, default true, `Use hybrid search`."),
        ("S2-41", None,
         "It returns `{ results: [{ query, results: [item...] }] }` in the order of the queries, with items as in "
         "`documents_search`."),
        ("S2-42", None, "0 or 11 queries are rejected, and 10 are accepted."),
        ("S2-43", None, "Each query's collections are alias-resolved separately, and results show aliases."),
        ("S2-44", None, "The embedding model instance is shared, and the queries run sequentially."),
        ("S2-45", None, "A batch of one gives the same items as `documents_search` with the same options."),
    ),
    "documents: documents_find_related": (
        ("S2-46", None, "The description is the golden text."),
        ("S2-47", None,
         "`collection` (`Collection containing the source`) and `document` (`Document ID to find related content "
         "for`) are required."),
        ("S2-48", None,
         "`chunk` is an optional string, `Specific chunk content (if not provided, uses document centroid)`; `limit` "
         "a number, default 5, `Maximum related items`; `sameDocument` a boolean, default false, `Include chunks "
         "from the same document`."),
        ("S2-49", None,
         "It returns `source {collection, document}` and `related[{collection, document, content, relevanceScore}]`."),
        ("S2-50", None,
         "With `chunk` that text is embedded and searched; without it the centroid (mean) of the document's chunk "
         "embeddings is the query."),
        ("S2-51", None,
         "The source document is excluded by default, and with `sameDocument:true` its chunks may appear."),
        ("S2-52", None, "There are at most `limit` items, most similar first."),
        ("S2-53", None,
         "The scope is the source's collection; related content across all collections is a future enhancement."),
    ),
    "documents: search results": (
        ("S2-54", None,
         "A search item has `collection`, `collectionId?`, `documentId`, `documentTitle`, `sectionHeading?`, "
         "`content`, `relevanceScore` (number), `distance` (number), `chunkIndex?` and `totalChunks?`."),
        ("S2-55", None, "`documentTitle` is the extracted document title and always present."),
        ("S2-56", None, "`sectionHeading` is the nearest preceding heading of the chunk, omitted when there is none."),
        ("S2-57", None, "`chunkIndex` is the 1-indexed position in the document, from 1 to `totalChunks`."),
        ("S2-58", None, "`totalChunks` is the number of chunks of that document."),
        ("S2-59", None, "Search is hybrid, semantic and keyword."),
        ("S2-60", None, "`maxDistance` filters out items with a greater distance."),
    ),
    "documents: service and client": (
        ("S2-61", None,
         "The service methods are `listDocuments(collection,{limit,offset})`, "
         "`getDocumentOutline(collection,document,maxDepth)` and `getDocumentSection(collection,document,section,"
         "includeSubsections)`, both giving an object or, for null, NotFound with the specified words, and "
         "`findRelated(collection,document,{chunk,limit,sameDocument})` giving items."),
        ("S2-62", None, "The Markdown outline and section parsing lives in its own module with unit tests."),
        ("S2-63", None, "All 16 points of the specification's testing checklist pass."),
        ("S2-64", None,
         "The in-process API of the toolset has the procedures `listDocuments`, `getOutline`, `getSection`, "
         "`findRelated` and `searchBatch`."),
        ("S2-65", None,
         "Pagination keeps memory bounded: listing a page does not load the contents of the whole collection."),
    ),
}
