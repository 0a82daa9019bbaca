// Package training holds the calculations over training data that need
// nothing but numbers: local days, statistics and shapes of recorded series so far;
// fitness, volume and compliance join them with their tools. It is pure, knows
// neither Intervals.icu nor MCP, and imports only the standard library.
package training
