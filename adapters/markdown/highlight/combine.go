package highlight

import "github.com/alecthomas/chroma/v2"

// Combine returns a lexer for text in a template language within another language, such as PHP in CSS. If template
// already combines the template language with HTML, as PHTML does, host takes the place of HTML. Combine must not be
// called while h is in use.
func (h *Highlighter) Combine(host, template chroma.Lexer) (chroma.Lexer, error) {
	if language, err := field[chroma.Lexer](template, "language"); err == nil {
		template = language
	}
	x := chroma.DelegatingLexer(host, template)
	if _, err := h.adapt(x); err != nil {
		return nil, err
	}
	return x, nil
}
