package ports

import "context"

// Math renders formulas.
type Math interface {
	// Formula renders a TeX formula as HTML: an element of class katex, or katex-display around one. Errors:
	// markdown.ErrTeX for invalid TeX; after any other error the source is shown.
	Formula(ctx context.Context, tex string, display bool) (html string, err error)
}
