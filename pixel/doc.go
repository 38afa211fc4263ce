// Package pixel is what a visitor's browser loads: the GIF, its headers, the snippet that a page carries, and the names
// of the parameters.
//
//	<img src="https://stats.example.org/pixel.gif" …>   Snippet
//	        │
//	        └─> GET /pixel.gif?host=mongodb.org&path=/docs/   Param…
//	                │
//	                └─> 200, 43 bytes, never cached            Write
package pixel
