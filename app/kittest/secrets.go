package kittest

import (
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// PlainSecrets returns the keys of a configuration that are text and, by their names, secrets, but do not have the type
// kit.Secret. stoa config print would show them.
func PlainSecrets(config reflect.Type) []string { return plainSecrets(config, "") }

func plainSecrets(t reflect.Type, path string) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return plainSecrets(t.Elem(), path)
	case reflect.String:
		if t != reflect.TypeFor[kit.Secret]() && namesSecret(path[strings.LastIndexByte(path, '.')+1:]) {
			return []string{path}
		}
	case reflect.Struct:
		var all []string
		for f := range t.Fields() {
			name, option, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			switch {
			case !f.IsExported() || name == "-":
				continue
			case option == "inline":
				name = path
			case path != "":
				name = path + "." + name
			}
			all = append(all, plainSecrets(f.Type, name)...)
		}
		return all
	}
	return nil
}

// namesSecret reports whether a key is that of a secret, such as api_key, but not of its file or ID.
func namesSecret(key string) bool {
	words := strings.Split(strings.ToLower(key), "_")
	if slices.Contains([]string{"file", "id"}, words[len(words)-1]) {
		return false
	}
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains([]string{
			"secret", "password", "passphrase", "pass", "key", "token", "credential", "auth", "pin",
		}, strings.TrimSuffix(word, "s"))
	})
}
