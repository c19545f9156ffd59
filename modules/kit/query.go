package kit

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/ports"
)

// Query is a call that at most one other module answers. Q is a struct in domain with the parameters, and A is the type
// of the answer. The calling module has a field of this type in its fx.In struct. The answering module lists a function
// in Parts.Answers. Neither imports the other, and the caller must work without an answer. Unlike hooks, queries have
// no side effects.
//
// The zero Query is never answered.
type Query[Q, A any] struct{ in *Collected }

// QueryAll is like Query, but any number of modules may answer.
type QueryAll[Q, A any] struct{ in *Collected }

// Ask returns the answer, or false if no module answers questions of type Q. Errors are those of the answering
// function.
func (q Query[Q, A]) Ask(ctx context.Context, question Q) (answer A, ok bool, err error) {
	all, err := ask[Q, A](ctx, q.in, question)
	if err != nil || len(all) == 0 {
		return answer, false, err
	}
	return all[0], true, nil
}

// Ask returns all answers, in the order of their ranks, then of the names of the answering modules. It stops at the
// first error.
func (q QueryAll[Q, A]) Ask(ctx context.Context, question Q) ([]A, error) {
	return ask[Q, A](ctx, q.in, question)
}

// Answered reports whether any module answers.
func (q QueryAll[Q, A]) Answered() bool {
	return q.in != nil && len(q.in.Answers[reflect.TypeFor[Q]()]) > 0
}

// Chain asks one module after the other, in the same order. then returns what the next module is asked, given the
// answer of the previous one; Chain returns what it returned last. It stops at the first error.
func (q QueryAll[Q, A]) Chain(ctx context.Context, question Q, then func(Q, A) Q) (Q, error) {
	if q.in == nil {
		return question, nil
	}
	for _, answer := range q.in.Answers[reflect.TypeFor[Q]()] {
		a, err := askOne[Q, A](ctx, q.in, answer, question)
		if err != nil {
			return question, err
		}
		question = then(question, a)
	}
	return question, nil
}

func ask[Q, A any](ctx context.Context, in *Collected, question Q) ([]A, error) {
	if in == nil {
		return nil, nil
	}
	var all []A
	for _, answer := range in.Answers[reflect.TypeFor[Q]()] {
		a, err := askOne[Q, A](ctx, in, answer, question)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func askOne[Q, A any](ctx context.Context, in *Collected, answer Answer, question Q) (a A, err error) {
	run, ok := answer.run.(func(context.Context, Q) (A, error))
	if !ok {
		return a, fmt.Errorf("kit: %v is answered with %v, not %v", answer.Question, answer.Type, reflect.TypeFor[A]())
	}
	if in.Traces != nil {
		within, span := in.Traces.Within(ctx, ports.SpanQuery, answer.Question.String())
		ctx = within
		defer func() { span.End(err) }()
	}
	defer in.Panics.Recover(answer.Module, answer.Handler, &err)
	return run(ctx, question)
}

// QueryOf returns a Query for code that is not wired by fx, such as commands and tests.
func QueryOf[Q, A any](in *Collected) Query[Q, A] { return Query[Q, A]{in} }

// Answer is a function that answers questions of one type. Use Answers to create it.
type Answer struct {
	Question reflect.Type
	Type     reflect.Type // of the answer
	Handler  string       // the name of the function, as in stoa modules --map
	Module   string       // set by the server
	Rank     int

	run any // func(context.Context, Q) (A, error)
}

// Answers declares that answer handles Query[Q, A] and QueryAll[Q, A]. If the question is asked in a unit of work,
// answer is called in the same transaction.
func Answers[Q, A any](answer func(context.Context, Q) (A, error)) Answer {
	return Answer{
		Question: reflect.TypeFor[Q](), Type: reflect.TypeFor[A](), Handler: functionName(answer), run: answer,
	}
}

// Order sets the answer's rank. Answers with lower ranks come first. The default is 0.
func (a Answer) Order(n int) Answer { a.Rank = n; return a }

// functionName returns the name of a function without the path of its package: "push.(*service).sent".
func functionName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return strings.TrimSuffix(path.Base(name), "-fm") // the suffix of method values
}

// Empty reports whether a is the zero value.
func (a Answer) Empty() bool { return a.run == nil }

// QueryInfo describes a Query or QueryAll field of a module's fx.In struct.
type QueryInfo struct {
	Question, Answer reflect.Type
	All              bool // a QueryAll: several modules may answer
}

// queryField is implemented by Query and QueryAll.
type queryField interface {
	info() QueryInfo
	option() fx.Option
}

func (q Query[Q, A]) info() QueryInfo {
	return QueryInfo{Question: reflect.TypeFor[Q](), Answer: reflect.TypeFor[A]()}
}

func (q QueryAll[Q, A]) info() QueryInfo {
	return QueryInfo{Question: reflect.TypeFor[Q](), Answer: reflect.TypeFor[A](), All: true}
}

// option provides the query to one module only, so that several modules can have queries of the same type.
func (q Query[Q, A]) option() fx.Option {
	return fx.Provide(func(in *Collected) Query[Q, A] { return Query[Q, A]{in} }, fx.Private)
}

func (q QueryAll[Q, A]) option() fx.Option {
	return fx.Provide(func(in *Collected) QueryAll[Q, A] { return QueryAll[Q, A]{in} }, fx.Private)
}

var queryFieldType = reflect.TypeFor[queryField]()

// queries returns a zero value of each query type among the fields of In.
func queries[In any]() []queryField {
	var out []queryField
	seen := map[reflect.Type]bool{}
	for f := range reflect.TypeFor[In]().Fields() {
		if f.Type.Implements(queryFieldType) && !seen[f.Type] {
			seen[f.Type] = true
			out = append(out, reflect.Zero(f.Type).Interface().(queryField))
		}
	}
	return out
}

func optionsOf(all []queryField) fx.Option {
	options := make([]fx.Option, len(all))
	for i, q := range all {
		options[i] = q.option()
	}
	return fx.Options(options...)
}

func infosOf(all []queryField) []QueryInfo {
	out := make([]QueryInfo, len(all))
	for i, q := range all {
		out[i] = q.info()
	}
	return out
}
