"""Architecture decision records: which documents are records, what each decides, and what a proposal does to them."""
