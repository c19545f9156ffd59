package kit

import "context"

// Diagnosis is a check of stoa doctor. Unlike a health check (Check), it may read whole tables, and runs only when an
// operator asks for it. It examines rows (Wrong), or anything else (Run).
type Diagnosis struct {
	Name string // unique in the module
	Doc  string // a sentence about a healthy server: "Every draft belongs to a user."
	// Wrong lists rows that must not exist. They are examined in blocks, beside a server that changes them.
	Wrong []Wrong
	// Run reports what is wrong otherwise. It must read large tables in blocks, and never by a query per row.
	// A *SkippedError says that what it examines cannot be reached.
	Run func(context.Context) ([]Finding, error)
	// Fix repairs what Run reports; nil: only a person can.
	Fix func(context.Context) error
	// Offline is set if Run or Fix must not run beside a server.
	Offline bool
}

// SkippedError reports that a check could not run, which is no fault of the server.
type SkippedError struct{ Why string } // a sentence

func (e *SkippedError) Error() string { return e.Why }

// Finding is something that is wrong. Its text contains IDs, but no names, addresses or texts of people, since
// operators send it to others.
type Finding struct {
	Text   string // "the chunk 3 of user 17 can't be decoded"
	Remedy string // the command or the action that repairs it; "": stoa doctor --fix
	Minor  bool   // a warning: the server works nevertheless
}

// Wrong declares rows that must not exist.
type Wrong struct {
	Table string
	Where string   // the condition in SQL; r is the table, whose columns need that prefix
	With  []string // tables of other modules in Where; if one does not exist, nothing is examined
	Text  string   // what is wrong, after the number of rows: "belong to no channel"
	// Fix is what repairs the rows: Delete, or what follows SET in an UPDATE. "": a person must.
	Fix    string
	Remedy string // if Fix is "": the command or the action that repairs the rows
	Minor  bool   // a warning: the server works nevertheless
}

// Delete is the Fix that deletes the rows.
const Delete = "DELETE"
