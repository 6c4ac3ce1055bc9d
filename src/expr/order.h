// order.h: comparison of factors inside a product, for the printer; hml_compare orders terms.
#ifndef HML_ORDER_H
#define HML_ORDER_H
int hml_expr__compare_factors(const void *a, const void *b);   // of hml_expr*, for qsort
#endif
