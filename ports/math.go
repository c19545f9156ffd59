package ports

import "context"

// Math draws formulas.
type Math interface {
	// Formula returns the HTML of a formula in TeX: an element of the class katex, or katex-display around one. Errors:
	// markdown.ErrTeX when the TeX is wrong; any other error says that the formula was not drawn, and its source is shown.
	Formula(ctx context.Context, tex string, display bool) (html string, err error)
}
