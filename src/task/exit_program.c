// SPDX-License-Identifier: GPL-2.0-only
/* exit_program.c - fairtrial-exit: what a child of kind CHILD_EXEC executes; it exits at once */
int main(void)
{
	return 0;
}
