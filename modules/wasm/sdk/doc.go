// Package sdk is for modules that Stoa's module wasm runs. A module is a main package that tells in an init function
// what it handles, and is built with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o module.wasm
//
//	func init() {
//		sdk.OnRoute("GET /top", top) // listed in manifest.json, like the hook "message" and the interval of the job
//		sdk.OnMessage(thank)
//	}
//
//	func main() {} // never runs
//
// Each call of a handler has a machine of its own: global variables begin anew, there are no files, no network and no
// environment, and time stands still but for time.Sleep, which returns at once. What is to remain is stored with Value.
// A panic is a failure of the module.
//
// The package has no dependencies but the standard library. On other systems it compiles, so that handlers can be
// tested, but its functions that ask the server for something fail.
package sdk
