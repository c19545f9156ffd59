package kit

import (
	"context"
	"fmt"
	"reflect"

	"go.uber.org/fx"
)

// Query asks at most one other module a question: Q is a struct of domain that holds the question's parameters, A is
// the answer. A module that asks has a field of this type in its fx.In struct; a module that answers lists a function
// in Parts.Answers. Neither knows the other, and the asking module works without an answer. Unlike a hook, a query
// changes nothing.
//
// The zero Query is never answered.
type Query[Q, A any] struct{ in *Collected }

// QueryAll is a Query that any number of modules answer.
type QueryAll[Q, A any] struct{ in *Collected }

// Ask returns the answer. ok is false, and the answer the zero value, if no module answers such questions. Errors:
// those of the answering function.
func (q Query[Q, A]) Ask(ctx context.Context, question Q) (answer A, ok bool, err error) {
	all, err := ask[Q, A](ctx, q.in, question)
	if err != nil || len(all) == 0 {
		return answer, false, err
	}
	return all[0], true, nil
}

// Ask returns all answers, ordered by the names of the answering modules. It stops at the first error.
func (q QueryAll[Q, A]) Ask(ctx context.Context, question Q) ([]A, error) {
	return ask[Q, A](ctx, q.in, question)
}

func ask[Q, A any](ctx context.Context, in *Collected, question Q) ([]A, error) {
	if in == nil {
		return nil, nil
	}
	var all []A
	for _, answer := range in.Answers[reflect.TypeFor[Q]()] {
		run, ok := answer.run.(func(context.Context, Q) (A, error))
		if !ok {
			return nil, fmt.Errorf("kit: %v is answered with %v, not %v", answer.Question, answer.Type, reflect.TypeFor[A]())
		}
		a, err := run(ctx, question)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// QueryOf returns a Query for code that is not wired by fx, such as commands and tests.
func QueryOf[Q, A any](in *Collected) Query[Q, A] { return Query[Q, A]{in} }

// Answer is a module's contribution to the answers of one kind of question.
type Answer struct {
	Question reflect.Type
	Type     reflect.Type // of the answer

	run any // func(context.Context, Q) (A, error)
}

// Answers answers the questions of Query[Q, A] and QueryAll[Q, A]. It may be called within a unit of work and then
// answers from the same transaction.
func Answers[Q, A any](answer func(context.Context, Q) (A, error)) Answer {
	return Answer{reflect.TypeFor[Q](), reflect.TypeFor[A](), answer}
}

// Empty reports whether the answer was not made by Answers.
func (a Answer) Empty() bool { return a.run == nil }

// Asked is a kind of question that a module asks: a field of its fx.In struct.
type Asked struct {
	Question, Answer reflect.Type
	All              bool // asked with QueryAll: several modules may answer
}

// asking is implemented by Query and QueryAll.
type asking interface {
	asked() Asked
	option() fx.Option
}

func (q Query[Q, A]) asked() Asked {
	return Asked{Question: reflect.TypeFor[Q](), Answer: reflect.TypeFor[A]()}
}

func (q QueryAll[Q, A]) asked() Asked {
	return Asked{Question: reflect.TypeFor[Q](), Answer: reflect.TypeFor[A](), All: true}
}

// option provides the query to one module only, so that several modules may ask the same.
func (q Query[Q, A]) option() fx.Option {
	return fx.Provide(func(in *Collected) Query[Q, A] { return Query[Q, A]{in} }, fx.Private)
}

func (q QueryAll[Q, A]) option() fx.Option {
	return fx.Provide(func(in *Collected) QueryAll[Q, A] { return QueryAll[Q, A]{in} }, fx.Private)
}

var askingType = reflect.TypeFor[asking]()

// queries returns the fields of a module's fx.In struct that are queries.
func queries[In any]() []asking {
	var out []asking
	seen := map[reflect.Type]bool{}
	for f := range reflect.TypeFor[In]().Fields() {
		if f.Type.Implements(askingType) && !seen[f.Type] {
			seen[f.Type] = true
			out = append(out, reflect.Zero(f.Type).Interface().(asking))
		}
	}
	return out
}

func optionsOf(all []asking) fx.Option {
	options := make([]fx.Option, len(all))
	for i, q := range all {
		options[i] = q.option()
	}
	return fx.Options(options...)
}

func askedOf(all []asking) []Asked {
	out := make([]Asked, len(all))
	for i, q := range all {
		out[i] = q.asked()
	}
	return out
}
