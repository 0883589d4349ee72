/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * multiplicity.h - many rows, one table: the false discovery rate
 *
 * Benjamini and Hochberg, J. R. Statist. Soc. B 57 (1995): of the rows called a regression or an
 * improvement, the expected share of false ones is at most alpha; if no row has an effect, the
 * chance that any is called at all is at most alpha.
 */
#ifndef FT_STATS_MULTIPLICITY_H
#define FT_STATS_MULTIPLICITY_H

/*
 * adjust_p_values - p-values adjusted over the table: a row is called at alpha if its adjusted one
 * is <= alpha
 * @p:        NAN marks a row that is not of the family
 * @adjusted: may be @p; NAN where @p is
 */
void adjust_p_values(const double *p, int n, double *adjusted);

/*
 * next_row_alpha - the level at which a row that is not called now would be, if it became the next:
 * alpha * (called + 1) / rows
 */
double next_row_alpha(const double *adjusted, int n, double alpha);

#endif
