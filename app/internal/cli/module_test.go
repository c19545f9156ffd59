package cli_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkout changes to a subfolder of a folder that looks like a checkout of Stoa, and returns the folder.
func checkout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"modules/pantry", "domain"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module github.com/stoachat/stoa\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(root, "domain"))
	return root
}

// TestNewModule creates a module, and runs its tests as if it were in this repository.
func TestNewModule(t *testing.T) {
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	root := checkout(t)
	if out := stoa(t, "", "module", "new", "recipes").ok(t).out; !strings.Contains(out, "go test ./modules/recipes\n") {
		t.Errorf("the output is %s", out)
	}
	overlay := map[string]string{}
	dir := filepath.Join(root, "modules", "recipes")
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if rest := strings.ToLower(string(text) + path[len(root):]); strings.Contains(rest, "skeleton") ||
			strings.Contains(rest, "scaffold") {
			t.Errorf("%s names the copied module:\n%s", path, text)
		}
		in, _ := filepath.Rel(root, path)
		overlay[filepath.Join(repository, in)] = path
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(root, "recipes.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", file, "-o", binary,
		"./modules/recipes")
	build.Dir = repository
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make test compiles it, also for the race detector
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), binary).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestNewModuleRefused(t *testing.T) {
	checkout(t)
	for name, want := range map[string]string{
		"Recipes":    `"Recipes": use lower-case letters and digits`,
		"my_recipes": `"my_recipes": use lower-case letters and digits`,
		"2cook":      `"2cook": use lower-case letters and digits`,
		"range":      "has a meaning in Go",
		"kittest":    "its files import another package kittest",
		"embed":      "its files import another package embed",
		"snippets":   "there is already a module snippets",
		"users":      "already has the route /users",
		"reaction":   "already has the event reaction",
		"pantry":     "modules/pantry already exists",
	} {
		stoa(t, "", "module", "new", name).fails(t, 1, want)
	}
	t.Chdir(t.TempDir())
	stoa(t, "", "module", "new", "recipes").fails(t, 1, "is not in a checkout of Stoa")
}

// TestInstallModule runs commands of a module that only the configuration file enables, and whose noun is that of a
// command for development. One of them reads a file.
func TestInstallModule(t *testing.T) {
	dir := t.TempDir()
	config, file := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "x.stoamod")
	text := "modules: {standard: {}, wasm: {}}\ndata_dir: " + filepath.Join(dir, "data") + "\n"
	for path, text := range map[string]string{config: text, file: "no package"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stoa(t, "", "init", "--config", config, "--realm", "Stoics", "--owner-email", "zeno@example.com",
		"--owner-name", "Zeno").ok(t)
	if out := stoa(t, "", "module", "list", "--config", config, "--json").ok(t).out; out != "[]\n" {
		t.Errorf("installed: %s", out)
	}
	stoa(t, "", "module", "install", "--config", config, file).fails(t, 1, "The file is not a package of a module")
	stoa(t, "", "module", "install", "--config", config, file+"2").fails(t, 3, "no such file")
	stoa(t, "", "module", "remove", "--config", config, "kudos", "--yes").fails(t, 3, `There is no module "kudos".`)
}
