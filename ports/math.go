package ports

import "context"

// Math renders formulas. It isolates the TeX library.
type Math interface {
	// Formula renders a TeX formula as HTML: an element of class katex, inside one of class katex-display if display is
	// set. Errors: markdown.ErrTeX for invalid TeX; after any other error, show the source.
	Formula(ctx context.Context, tex string, display bool) (html string, err error)
}
