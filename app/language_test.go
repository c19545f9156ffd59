package app_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/language"
)

// refusing matches the files whose errors are shown on pages of the server.
var refusing = regexp.MustCompile(`^modules/(kit/page/page|sessions/(login|logout|signin)|` +
	`confirmations/(links|address|password)|invites/(page|join|secret|seats|create_account)|homepage/\w+|` +
	`mailnotify/unsubscribe|calls/\w+|oidc/login|saml/login|` +
	`identities/(flows|finish|page|admit|confirm)|twofactor/(steps|page|passkeys))\.go$`)

// tables lists files with texts in variables. Every sentence in these files is such a text.
var tables = []string{"modules/mailnotify/compose.go", "modules/kit/page/refusal.go",
	"modules/confirmations/letters.go"}

// shown lists texts that pages show although the files above do not contain them.
var shown = []string{
	"Enter a valid email address.", "Password is too long.",
	"The password is too easy to guess. Make it longer, or combine several unusual words.",
	"This password is known from data breaches of other services. Choose another one.",
	"The password must have at least %d characters.", "Name must not be empty!",
	"Name too long!", "Invalid characters in name!",
	"Invalid format!",
	"Disposable email addresses are not allowed in this organization.", "Email addresses containing + are not allowed.",
	"Email addresses of %s are not allowed in this organization.",
	"Your username or password is incorrect",
	"Invalid token", "API usage exceeded rate limit", "Must be an organization administrator",
	"The request took too long to process; please try again.", "This organization has been deactivated",
	"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
	"December",
	"2 January 2006, 15:04 MST",
}

// TestLanguages checks that every text of pages and emails has a translation in every language, with the same names,
// numbers and elements.
func TestLanguages(t *testing.T) {
	keys := append(slices.Clone(shown), templateTexts(t)...)
	for _, f := range source(t) {
		if !f.test() && f.in("modules", "adapters/fiberhttp", "domain/excerpt") {
			keys = append(keys, codeTexts(f)...)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if len(keys) < 100 {
		t.Fatalf("only %d texts found", len(keys))
	}
	for _, l := range language.All()[1:] {
		for _, key := range keys {
			text := l.T(key)
			if text == key && !slices.Contains(same[l.Code], key) {
				t.Errorf("%s lacks %q", l.Code, key)
			}
			for i, form := range strings.Split(text, "|") {
				want := parts(strings.Split(key, "|")[min(i, strings.Count(key, "|"))])
				got := parts(form)
				if i > 0 { // the forms for one and two may omit the number
					got, want = withoutNumber(got), withoutNumber(want)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: %q has %q, want %q", l.Code, form, got, want)
				}
			}
		}
		for key := range l.Texts() {
			if !slices.Contains(keys, key) {
				t.Errorf("%s has %q, which is not shown anywhere", l.Code, key)
			}
		}
	}
}

// same lists texts that have the same spelling in a language.
var same = map[string][]string{
	"de": {"April", "August", "September", "November"},
	"fr": {"Invitation", "# message|# messages", "2 January 2006, 15:04 MST"},
}

var (
	part  = regexp.MustCompile(`%(\[\d\])?[sdv]|%\.60v|#|</?[a-z]+|^ +`)
	place = regexp.MustCompile(`\[\d\]`)
)

// parts returns the elements of a text that its translations must contain.
func parts(text string) []string {
	all := part.FindAllString(place.ReplaceAllString(text, ""), -1)
	slices.Sort(all)
	return all
}

func withoutNumber(parts []string) []string {
	return slices.DeleteFunc(parts, func(s string) bool { return s == "#" })
}

var templateText = regexp.MustCompile(`\.(?:T|H) ("(?:[^"\\]|\\.)*")`)
var templateCount = regexp.MustCompile(`\.Count \S+ ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")`)

// templateTexts returns the texts in templates of pages and emails.
func templateTexts(t *testing.T) (keys []string) {
	t.Helper()
	for _, pattern := range []string{"../modules/*/*.html", "../modules/*/*/*.html", "../modules/*/*.txt"} {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(f, "/web/dist/") || strings.Contains(f, "/web/ui/") {
				continue
			}
			for _, m := range templateText.FindAllStringSubmatch(string(b), -1) {
				keys = append(keys, unquoted(m[1]))
			}
			for _, m := range templateCount.FindAllStringSubmatch(string(b), -1) {
				keys = append(keys, unquoted(m[1])+"|"+unquoted(m[2]))
			}
			rest := regexp.MustCompile(`(?s)<style>.*?</style>|<!.*?>|<[^>]*>|\{\{.*?\}\}`).ReplaceAllString(string(b), " ")
			if left := regexp.MustCompile(`[A-Za-z]{2,}`).FindAllString(rest, -1); left != nil && left[0] != "Stoa" {
				t.Errorf("%s: %q is not a text of a catalog", f, left)
			}
		}
	}
	return keys
}

// codeTexts returns the texts in a file: arguments of T and Count, errors shown on pages, and values of the tables that
// hold texts.
func codeTexts(f file) (keys []string) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		switch texts := literals(call.Args); {
		case sel.Sel.Name == "T" && len(texts) > 0:
			keys = append(keys, texts[0])
		case sel.Sel.Name == "Count" && len(texts) == 2:
			keys = append(keys, texts[0]+"|"+texts[1])
		case (sel.Sel.Name == "New" || sel.Sel.Name == "Bad") && len(texts) > 0 && refusing.MatchString(f.path):
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "errs" {
				keys = append(keys, texts[0])
			}
		}
		return true
	})
	if slices.Contains(tables, f.path) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text := literal(e)
			if strings.Contains(text, " ") && !strings.Contains(text, "#") &&
				(strings.HasSuffix(text, ".") || f.path == "modules/kit/page/refusal.go") {
				keys = append(keys, text)
			}
			return text == ""
		})
	}
	return keys
}

func literals(all []ast.Expr) (texts []string) {
	for _, a := range all {
		if s := literal(a); s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// literal returns the value of a string literal or a concatenation of literals, or "" for other expressions.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return unquoted(e.Value)
		}
	case *ast.BinaryExpr:
		if a, b := literal(e.X), literal(e.Y); a != "" && b != "" {
			return a + b
		}
	}
	return ""
}

func unquoted(s string) string {
	text, _ := strconv.Unquote(s)
	return text
}
