package images

// Paletted is for tests of the colours alone.
var Paletted = paletted
