// dop853_sums.h: the sums of the stages, of the step and of its error estimates, written out: the zeros of the tables cost nothing.
// Used with A(s, j), B(j), E(j), D(r, j), the entries times k_j of one component, defined as the caller holds its slopes.
#ifndef HML_DOP853_SUMS_H
#define HML_DOP853_SUMS_H

#define SUM_2 (A(2, 1))
#define SUM_3 (A(3, 1) + A(3, 2))
#define SUM_4 (A(4, 1) + A(4, 3))
#define SUM_5 (A(5, 1) + A(5, 3) + A(5, 4))
#define SUM_6 (A(6, 1) + A(6, 4) + A(6, 5))
#define SUM_7 ((A(7, 1) + A(7, 4)) + (A(7, 5) + A(7, 6)))
#define SUM_8 ((A(8, 1) + A(8, 4)) + (A(8, 5) + A(8, 6)) + A(8, 7))
#define SUM_9 ((A(9, 1) + A(9, 4)) + (A(9, 5) + A(9, 6)) + (A(9, 7) + A(9, 8)))
#define SUM_10 ((A(10, 1) + A(10, 4)) + (A(10, 5) + A(10, 6)) + (A(10, 7) + A(10, 8)) + A(10, 9))
#define SUM_11 ((A(11, 1) + A(11, 4)) + (A(11, 5) + A(11, 6)) + (A(11, 7) + A(11, 8)) + (A(11, 9) + A(11, 10)))
#define SUM_12 ((A(12, 1) + A(12, 4)) + (A(12, 5) + A(12, 6)) + (A(12, 7) + A(12, 8)) + (A(12, 9) + A(12, 10)) + A(12, 11))
#define SUM_14 ((A(14, 1) + A(14, 7)) + (A(14, 8) + A(14, 9)) + (A(14, 10) + A(14, 11)) + (A(14, 12) + A(14, 13)))
#define SUM_15 ((A(15, 1) + A(15, 6)) + (A(15, 7) + A(15, 8)) + (A(15, 11) + A(15, 12)) + (A(15, 13) + A(15, 14)))
#define SUM_16 ((A(16, 1) + A(16, 6)) + (A(16, 7) + A(16, 8)) + (A(16, 9) + A(16, 13)) + (A(16, 14) + A(16, 15)))
#define SUM_STEP ((B(1) + B(6)) + (B(7) + B(8)) + (B(9) + B(10)) + (B(11) + B(12)))
#define SUM_ERROR ((E(1) + E(6)) + (E(7) + E(8)) + (E(9) + E(10)) + (E(11) + E(12)))

#endif
