package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// platform is an operating system and an architecture that Go can build for.
type platform struct {
	os, arch string // of Go
	arm      string // GOARM
}

var platforms = []platform{
	{os: "linux", arch: "amd64"}, {os: "linux", arch: "arm64"}, {os: "linux", arch: "arm", arm: "7"},
	{os: "darwin", arch: "amd64"}, {os: "darwin", arch: "arm64"}, {os: "windows", arch: "amd64"},
}

func (p platform) String() string { return p.os + "/" + p.arch }

// label returns the platform in names of files, such as linux_armv7.
func (p platform) label() string {
	if p.arm != "" {
		return p.os + "_armv" + p.arm
	}
	return p.os + "_" + p.arch
}

// program returns the name of the server's binary.
func (p platform) program() string {
	if p.os == "windows" {
		return "stoa.exe"
	}
	return "stoa"
}

// environ returns the variables of the go command for the platform. Those that change what it builds are fixed.
func (p platform) environ() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOARM="+p.arm, "GOFLAGS=", "GOWORK=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
}

// choose returns the platforms of a list such as linux/amd64,linux/arm64, or all.
func choose(only string) ([]platform, error) {
	if only == "" {
		return platforms, nil
	}
	var out []platform
next:
	for name := range strings.SplitSeq(only, ",") {
		for _, p := range platforms {
			if p.String() == name {
				out = append(out, p)
				continue next
			}
		}
		return nil, fmt.Errorf("unknown platform %q; known are %v", name, platforms)
	}
	return out, nil
}

// binary is a built server.
type binary struct {
	platform
	path string
}

// server is the package of the server's program.
const server = "./app/cmd/stoa"

// build compiles the server for all platforms of the release, into folders below dir.
func (r release) build(ctx context.Context, dir string) ([]binary, error) {
	if _, err := os.Stat(filepath.Join(r.root, "modules", "web", "dist", "index.html")); err != nil {
		return nil, fmt.Errorf("the web client is not built; run make web: %w", err)
	}
	var out []binary
	for _, p := range r.platforms {
		b := binary{p, filepath.Join(dir, p.label(), p.program())}
		c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-tags", "nodynamic",
			"-ldflags", "-s -w -X github.com/stoachat/stoa/app.Version=v"+r.version, "-o", b.path, server)
		c.Dir, c.Env, c.Stdout, c.Stderr = r.root, p.environ(), os.Stdout, os.Stderr
		if err := c.Run(); err != nil {
			return nil, fmt.Errorf("build for %v: %w", p, err)
		}
		out = append(out, b)
	}
	return out, nil
}

// generated returns the files that the server prints itself: the manual page and the completions of shells.
func (r release) generated(ctx context.Context, all []binary) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, b := range all {
		if b.os != runtime.GOOS || b.arch != runtime.GOARCH {
			continue
		}
		for path, args := range map[string][]string{
			"man/stoa.1":            {"manual"},
			"completions/stoa.bash": {"completion", "bash"},
			"completions/stoa.fish": {"completion", "fish"},
		} {
			text, err := output(ctx, r.root, b.path, args...)
			if err != nil {
				return nil, err
			}
			out[path] = []byte(text + "\n")
		}
		out["completions/_stoa"] = zshFunction(out["completions/stoa.bash"])
		return out, nil
	}
	return nil, fmt.Errorf("the release must contain the platform that builds it, %s/%s, whose server prints its manual",
		runtime.GOOS, runtime.GOARCH)
}

// zshFunction returns the file _stoa for a folder of zsh's fpath, from the completion for bash: zsh runs the file when
// it completes stoa for the first time.
func zshFunction(bash []byte) []byte {
	script := strings.NewReplacer("_stoa()", "_stoa_words()", "-F _stoa ", "-F _stoa_words ").Replace(string(bash))
	return []byte("#compdef stoa\nautoload -U +X bashcompinit && bashcompinit\n" + script +
		"_bash_complete -o default -F _stoa_words\n")
}
