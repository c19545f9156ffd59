// Package absence lets modules catch up that were left out of the configuration for a while. The table module_absences
// names the modules that have tables in the database but did not run, and since when. When one returns, a job repeats
// those of its hooks that allow it (kit.Hook.Again) and calls its CatchUp, realm by realm. Until that has succeeded,
// jobs of the module that delete data wait: what is still needed may not be known yet.
//
// All nodes are expected to run the same modules.
package absence
