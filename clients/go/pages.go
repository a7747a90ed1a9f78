package carillon

import "iter"

// page is a reply of a list.
type page interface {
	// nextCursor leads to the next page; nil after the last one.
	nextCursor() *string
}

// Pages reads a list to its end, a page at a time: read gets the cursor of the page, which is empty for the first one. It ends
// after the last page, or after the first error, which it yields.
func Pages[P page](read func(cursor string) (P, error)) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		cursor := ""
		for {
			current, err := read(cursor)
			if !yield(current, err) || err != nil {
				return
			}
			next := current.nextCursor()
			if next == nil {
				return
			}
			cursor = *next
		}
	}
}
